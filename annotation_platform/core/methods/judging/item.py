"""What a model is shown: the parts of an item that the scheme names, each text behind the fence."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from annotation_platform.core.items import ItemTexts
from annotation_platform.core.methods.judging.wording import Wording
from annotation_platform.core.methods.messages import Fence, fill
from annotation_platform.core.schemes import Scheme
from annotation_platform.core.schemes.aspects import CHOICE_LETTERS
from annotation_platform.core.turns import cited_prompt


@dataclass(frozen=True)
class Passage:
    """A heading, the texts that others wrote (none: the note stands alone), and a note of ours."""

    heading: str
    text: str = ""
    note: str = ""

    def rendered(self, fence: Fence) -> str:
        head = f"{self.heading}: {self.note}" if self.note else f"{self.heading}:"
        return f"{head}\n{fence.around(self.text)}" if self.text else head


def passages(scheme: Scheme, item: ItemTexts, wording: Wording, *, candidate: int, is_example: bool) -> list[Passage]:
    """The parts of an item in the scheme's order.

    Lists that the item lacks are left out. So are single texts that a worked example lacks; an item's are said to be
    blank, and a document without sentences is said to be withheld.

    Parameters
    ----------
    candidate : int
        The one candidate that is shown; 0 shows all of them.
    """
    found = []
    for part, title in scheme.parts.items():
        for passage in _part(scheme, part, title or wording.parts[part], item, wording.notes, candidate):
            if passage.text:
                found.append(passage)
            elif not is_example and part in ("article", "question", "answer", "rationale", "candidates"):
                found.append(replace(passage, note=wording.notes["withheld" if part == "article" else "blank"]))
    return found


def _part(
    scheme: Scheme, part: str, title: str, item: ItemTexts, notes: Mapping[str, str], candidate: int
) -> Iterator[Passage]:
    if part == "article":
        yield Passage(title, _numbered(item.article.sentences if item.article else ()))
    elif part == "documents":
        for document in item.documents:
            head = [_in_one_line(each) for each in (document.title, document.url) if each.strip()]
            yield Passage(f"{title} {document.name}", "\n".join([*head, _numbered(document.sentences)]).strip())
    elif part == "question":
        anchor = item.article.anchor if item.article else None
        note = fill(notes["anchor"], {"number": str(anchor)}) if anchor else ""
        text = cited_prompt(item.question_turns) if scheme.cites_conversation else item.question_in_prompt
        yield Passage(title, text.strip(), note)
    elif part == "choices":
        pairs = zip(CHOICE_LETTERS, item.choices, strict=False)
        yield Passage(title, "\n".join(f"{letter}. {_in_one_line(text)}" for letter, text in pairs))
    elif part == "reference_answers":
        yield Passage(title, "\n".join(f"- {_in_one_line(text)}" for text in item.reference_answers))
    elif part == "candidates":
        for each in item.candidates:
            text = cited_prompt(item.conversation[each.number]) if scheme.cites_conversation else each.in_prompt
            if not candidate:
                yield Passage(fill(notes["numbered"], {"title": title, "number": str(each.number)}), text.strip())
            elif each.number == candidate:
                yield Passage(title, text.strip())
    elif part == "answer":
        text = cited_prompt(item.answer_turns) if scheme.cites_conversation else item.answer_in_prompt
        yield Passage(title, text.strip())
    else:
        yield Passage(title, getattr(item, part).strip())


def _numbered(sentences: tuple[str, ...]) -> str:
    return "\n".join(f"{number}. {_in_one_line(text)}" for number, text in enumerate(sentences, start=1))


def _in_one_line(text: str) -> str:
    """A numbered text cannot pretend to be the next one."""
    return " ".join(text.split())
