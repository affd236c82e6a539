"""Labels from the replies of language models, by rules: rather none than a wrong one."""

from collections.abc import Sequence

from annotation_platform.core.methods.extraction.conditions import judgment_values, settle
from annotation_platform.core.methods.extraction.reply import read_reply
from annotation_platform.core.methods.extraction.second_reading import SecondReading, second_reading
from annotation_platform.core.methods.extraction.values import LabelReading, Unread
from annotation_platform.core.methods.judging import Question
from annotation_platform.core.schemes import ItemShape, Scheme

__all__ = [
    "LabelReading",
    "SecondReading",
    "Unread",
    "judgment_values",
    "read_labels",
    "read_reply",
    "second_reading",
    "settle",
]


def read_labels(scheme: Scheme, shape: ItemShape, questions: Sequence[Question], reply: str) -> dict[str, LabelReading]:
    """What a reply says to each question, with the scheme's conditions applied: slot key → reading."""
    return settle(scheme, shape, read_reply(questions, reply))
