"""Label Studio's labelling configuration (XML), as far as a scheme can ask the same.

Of ``Choices``, ``Rating``, ``Number``, ``TextArea``, ``DateTime``, ``Pairwise`` and ``Ranker`` about texts, and of
``Labels`` in ``Text``. Everything else that asks or shows something is told by its tag and line.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from xml.parsers import expat

from annotation_platform.core.reasons import Reason
from annotation_platform.corpus.importers.cells import finite_number, whole_number
from annotation_platform.corpus.importers.fields import MOST_BESIDE
from annotation_platform.corpus.importers.labelers.controls import DATA, MOST_STARS, Control, Form
from annotation_platform.corpus.importers.mistakes import ImportFileError, RowError, place, wrong_at
from annotation_platform.corpus.importers.rows import RowFile
from annotation_platform.corpus.importers.study import LeftOut

TEXTS = ("Text", "HyperText", "Paragraphs", "List")
ARRANGED = ("View", "Header", "Style", "Collapse", "Panel", "Shortcut", "Choice", "Label", "Hint", "Bucket", "Column")
REQUIRED, MULTIPLE = ("true", "True"), ("multiple",)


@dataclass(frozen=True)
class Tag:
    """An element with the line that it begins on.

    ``is_conditional``: it, or something around it, is shown to some annotators only (``visibleWhen``).
    """

    name: str
    said: Mapping[str, str]
    line: int
    is_conditional: bool = False
    inside: list["Tag"] = field(default_factory=list)

    def all(self) -> Iterator["Tag"]:
        yield self
        for tag in self.inside:
            yield from tag.all()


def parsed(source: RowFile) -> Tag:
    """The root of a configuration.

    Raises
    ------
    ImportFileError
        When it is no XML, or defines entities.
    """
    root = Tag("", {}, 0)
    open_tags = [root]
    parser = expat.ParserCreate()

    def start(name: str, said: dict[str, str]) -> None:
        is_conditional = "visibleWhen" in said or open_tags[-1].is_conditional
        tag = Tag(name, said, parser.CurrentLineNumber, is_conditional)
        open_tags[-1].inside.append(tag)
        open_tags.append(tag)

    def refuse(*declared: Any) -> None:
        raise ImportFileError([wrong_at(place(source.name, line=parser.CurrentLineNumber), "corpus.xml_entities")])

    parser.StartElementHandler = start
    parser.EndElementHandler = lambda name: open_tags.pop()
    parser.EntityDeclHandler = refuse
    try:
        parser.Parse(source.path.read_bytes(), True)
    except expat.ExpatError as error:
        where = place(source.name, line=error.lineno)
        raise ImportFileError([wrong_at(where, "corpus.no_xml", why=expat.ErrorString(error.code))]) from None
    return root


def form_of(source: RowFile) -> Form:
    """The form that a configuration describes."""
    tags = [*parsed(source).all()]
    texts = {tag.said["name"]: _column(tag) for tag in tags if tag.name in TEXTS and "name" in tag.said}
    plain = {tag.said["name"] for tag in tags if tag.name == "Text" and "name" in tag.said}
    header: list[str] = []
    controls, left_out = [], []
    for tag in tags[1:]:
        if tag.name == "Header":
            header = [tag.said.get("value", "")]
        elif tag.name in TEXTS or tag.name in ARRANGED:
            left_out += [] if tag.name in TEXTS else _condition_of(tag, source)
        elif (control := _control(tag, texts, plain, header[0] if header else "", source)) is None:
            left_out.append(_not_read(tag, source))
        else:
            controls.append(control)
            header = []
            left_out += _condition_of(tag, source)
    title = source.name.rpartition("/")[2].rpartition(".")[0]
    lists = {tag.said.get("name") for tag in tags if tag.name == "List"}
    shown = [column for name, column in texts.items() if name not in lists]
    return Form(title, shown, controls, left_out, _systems(controls))


def _column(tag: Tag) -> str:
    return f"{DATA}{tag.said.get('value', '').lstrip('$')}"


def _systems(controls: list[Control]) -> dict[str, str]:
    """The columns of the names of what is ranked."""
    ranked = next((control.beside for control in controls if control.kind == "rank"), ())
    return {f"{column}.id": f"system.{n}" for n, column in enumerate(ranked, start=1)}


def _control(tag: Tag, texts: Mapping[str, str], plain: set[str], title: str, source: RowFile) -> Control | None:
    """A tag as a control; None for what cannot be asked here."""
    about = [name.strip() for name in tag.said.get("toName", "").split(",")]
    if tag.said.get("perRegion") == "true" or not {*about} <= {*texts} or tag.name not in ASKED:
        return None
    if tag.name == "Labels" and not {*about} <= plain:  # other texts count from their tags or turns
        return None
    try:
        what = ASKED[tag.name](tag, [texts[name] for name in about])
    except RowError as error:
        raise ImportFileError([wrong_at(place(source.name, line=tag.line), error.reason)]) from None
    common: dict[str, Any] = {
        "name": tag.said.get("name", ""),
        "title": title,
        "required": tag.said.get("required") in REQUIRED and not tag.is_conditional,
        "is_conditional": tag.is_conditional,
    }
    return Control(**common, **what) if what else None


def _choices(tag: Tag, about: list[str]) -> dict[str, Any] | None:
    inside = [each for each in tag.inside if each.name == "Choice"]
    if not inside or any(each.inside for each in inside):  # a tree, or choices that the tasks bring
        return None
    choices = [(each.said.get("alias") or each.said.get("value", ""), each.said.get("value", "")) for each in inside]
    return {"kind": "several" if tag.said.get("choice") in MULTIPLE else "choice", "choices": choices}


def _rating(tag: Tag, about: list[str]) -> dict[str, Any]:
    most = whole_number(tag.said.get("maxRating") or 5, "maxRating", least=1)
    return {"kind": "stars" if most <= MOST_STARS else "range", "high": most}


def _number(tag: Tag, about: list[str]) -> dict[str, Any]:
    if not {"min", "max"} <= tag.said.keys():
        return {"kind": "text"}
    low, high = (finite_number(tag.said[name], name) for name in ("min", "max"))
    return {"kind": "range", "low": low, "high": high, "step": finite_number(tag.said.get("step") or 1, "step")}


def _pairwise(tag: Tag, about: list[str]) -> dict[str, Any] | None:
    return {"kind": "best", "beside": about} if len(about) == 2 else None


def _ranker(tag: Tag, about: list[str]) -> dict[str, Any] | None:
    if any(each.name == "Bucket" for each in tag.inside):
        return None
    return {"kind": "rank", "beside": [f"{about[0]}.{n}" for n in range(1, MOST_BESIDE + 1)]}


def _text(tag: Tag, about: list[str]) -> dict[str, Any]:
    return {"kind": "text", "help": tag.said.get("placeholder", "")}


def _labels(tag: Tag, about: list[str]) -> dict[str, Any]:
    inside = [each.said for each in tag.inside if each.name == "Label"]
    choices = [(each.get("alias") or each.get("value", ""), each.get("value", "")) for each in inside]
    return {"kind": "spans", "choices": choices, "marks": about}


ASKED: Mapping[str, Callable[[Tag, list[str]], dict[str, Any] | None]] = {
    "Choices": _choices,
    "Rating": _rating,
    "Number": _number,
    "TextArea": _text,
    "DateTime": _text,
    "Pairwise": _pairwise,
    "Ranker": _ranker,
    "Labels": _labels,
}


def _not_read(tag: Tag, source: RowFile) -> LeftOut:
    name = f"<{tag.name} name={tag.said['name']!r}>" if "name" in tag.said else f"<{tag.name}>"
    return LeftOut("corpus.control_not_read", {"tag": name, "where": place(source.name, line=tag.line)})


def _condition_of(tag: Tag, source: RowFile) -> list[LeftOut]:
    """The condition under which a tag is shown, which no scheme takes over."""
    if "visibleWhen" not in tag.said:
        return []
    what = Reason("corpus.part_of_tag", tag=tag.name, part="visibleWhen")
    return [LeftOut("corpus.control_not_read", {"tag": what, "where": place(source.name, line=tag.line)})]
