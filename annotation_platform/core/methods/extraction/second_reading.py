"""The second look at a reply that the rules could not read: a language model says which labels it gives.

It sees the reply behind a fence and the labels to choose from, not what was judged, so that it has nothing to judge by
itself. Its own reply is read by the same strict rules; "unclear" is no label, and what it leaves unread goes to a
person.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from annotation_platform.core.methods.ebr.prompts import PromptError
from annotation_platform.core.methods.extraction.reply import read_reply
from annotation_platform.core.methods.extraction.values import LabelReading
from annotation_platform.core.methods.judging import Question, ReplyForm
from annotation_platform.core.methods.judging.format import blank_form, criterion
from annotation_platform.core.methods.judging.wording import wording
from annotation_platform.core.methods.messages import Message, fence_for, fill
from annotation_platform.core.signature import signature

MOST_SHOWN = 20_000  # characters of a reply; the beginning and the end of a longer one


@dataclass(frozen=True)
class SecondReading:
    """Chat messages that ask which labels a reply gives, and the questions that they are about."""

    messages: list[Message]
    questions: tuple[Question, ...]
    signature: str

    def read(self, reply: str) -> dict[str, LabelReading]:
        """What the second model says that the first reply gives: slot key → reading, conditions not applied."""
        return read_reply(self.questions, reply)


def second_reading(
    questions: Sequence[Question], readings: dict[str, LabelReading], reply: str, *, language: str = "en"
) -> SecondReading:
    """Ask for the labels that a first reading failed to find; texts are not asked for.

    Parameters
    ----------
    questions : sequence of Question
        Those that the reply was to answer.
    readings : mapping of slot key to LabelReading
        What the rules read.
    reply : str
        The first model's reply, as it came.

    Raises
    ------
    PromptError
        Nothing failed, or the reply is blank: there is nothing to look at.
    """
    failed = tuple(each for each in questions if each.options and readings[each.slot_key].failure is not None)
    if not failed or not reply.strip():
        raise PromptError("prompts.nothing_to_read_again")
    words = wording(language)
    texts = words.second_reading
    half = MOST_SHOWN // 2
    shown = reply.strip() if len(reply) <= MOST_SHOWN else f"{reply[:half]}\n[…]\n{reply[-half:]}"
    fence = fence_for([shown])
    template = words.simple.criterion[0]
    may_be_blank = [each.not_applicable for each in failed if each.not_applicable]
    values = {
        "criteria": "\n".join(criterion(each, number, template, words) for number, each in enumerate(failed, start=1)),
        "said": fence.around(shown),
        "unclear": texts["unclear"],
        "not_applicable_rule": fill(texts["not_applicable_rule"], {"not_applicable": words.not_applicable})
        if may_be_blank
        else "",
        "form": blank_form(failed, ReplyForm.LINES, words),
    }
    messages: list[Message] = [
        {"role": "system", "content": fill(texts["system"], {"fence_start": fence.start, "fence_end": fence.end})},
        {"role": "user", "content": fill(texts["user"], values)},
    ]
    return SecondReading(messages=messages, questions=failed, signature=signature({"messages": messages}))
