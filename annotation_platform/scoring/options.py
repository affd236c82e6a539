"""A parameter of a run is declared once, as a pydantic field; the page, the command line and the lists follow from it.

The field gives type, default and bounds, which pydantic checks, and with ``title`` and ``description`` the words of
the form, of ``score_study --help``, of the comparison of runs and of the JSON schema. `Ask` beside the type says that
people may set it, and what else a page has to know::

    class LengthParameters(Parameters):
        least: Annotated[int, Ask()] = Field(default=3, ge=0, title="Shortest answer", description="In words.")
"""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from enum import Enum, StrEnum
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from django.utils.translation import gettext
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.studies.models import Study

InStudy = Callable[[Study], Mapping[str, Any] | None]


@dataclass(frozen=True, slots=True)
class Ask:
    """That people may set a parameter, and how they are asked for it. One without this is never asked for.

    Attributes
    ----------
    choices : mapping
        Value → its label; the default is the first.
    usual : str
        What is taken when it is left open, in words; by default the field's default.
    in_study : callable
        Given a study, what is otherwise in its form, as attributes of `Option`; None where it has no place there.
    is_rare : bool
        Seldom set, so that the page folds it away.
    on_page : bool
        False: for the command line alone.
    decides : bool
        False: it is no part of what decides the scores, such as a pace or a price.
    """

    choices: Mapping[str, str] = field(default_factory=dict)
    usual: str = ""
    in_study: InStudy = lambda study: {}
    is_rare: bool = False
    on_page: bool = True
    decides: bool = True


class OptionKind(StrEnum):
    CHOICE = "choice"
    NUMBER = "number"
    WHOLE = "whole"
    YES_NO = "yes_no"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Option:
    """A parameter as people are asked for it; left open, ``resolve`` of the method fills it in.

    Attributes
    ----------
    name : str
        As ``resolve`` takes it.
    choices : tuple of (value, label)
        Of a choice; where nothing is chosen the first counts.
    usual : str
        What is taken when it is left open, in words.
    initial : str
        What the page fills in beforehand; emptied there, it means none.
    can_be_none : bool
        Whether "none" is an answer of its own, which differs from leaving it open: it is not sent to the server.
    scorers : tuple
        Whom it concerns; empty: all of the method's.
    """

    name: str
    label: str
    kind: OptionKind
    ask: Ask
    choices: tuple[tuple[str, str], ...] = ()
    help: str = ""
    usual: str = ""
    initial: str = ""
    can_be_none: bool = False
    scorers: tuple[str, ...] = ()

    def in_study(self, study: Study) -> "Option | None":
        """As a page of this study asks for it, in the reader's language; None where it does not."""
        changed = self.ask.in_study(study) if self.ask.on_page else None
        if changed is None:
            return None
        emptied = gettext("%(help)s Emptied, none is sent: the server takes its own.") % {"help": gettext(self.help)}
        own = {"help": emptied} if self.can_be_none else {"kind": OptionKind.CHOICE} if "choices" in changed else {}
        return replace(self._translated(), **own | dict(changed))

    def _translated(self) -> "Option":
        """In the active language; the declaration is in English."""
        choices = tuple((value, gettext(label)) for value, label in self.choices)
        label, help, usual = map(gettext, (self.label, self.help, self.usual))
        return replace(self, label=label, help=help, usual=usual, choices=choices)

    def read(self, text: str) -> Any:
        """The value that a text stands for; None for one left open.

        Raises
        ------
        InvalidInputError
            When it is not among the choices, no number, or no whole one.
        """
        text = text.strip()
        if self.kind is OptionKind.YES_NO:
            return text == "yes" if text else None
        if self.kind is OptionKind.CHOICE and text and text not in dict(self.choices):
            raise InvalidInputError("scoring.option_no_choice", label=self.label, text=text)
        if not text or self.kind not in (OptionKind.NUMBER, OptionKind.WHOLE):
            return text or None
        try:
            return int(text) if self.kind is OptionKind.WHOLE else float(text)
        except ValueError:
            code = "scoring.option_no_whole_number" if self.kind is OptionKind.WHOLE else "scoring.option_no_number"
            raise InvalidInputError(code, label=self.label, text=text) from None


def options_of(model: type[BaseModel]) -> Iterator[Option]:
    """What people may set of a run's parameters, in the order of their fields; those of inner models, too."""
    for name, declared in model.model_fields.items():
        if (ask := _ask(declared)) is not None:
            yield _option(declared.alias or name, declared, ask)
        elif (inner := _inner(declared)) is not None:
            yield from options_of(inner)


def schema_of(model: type[BaseModel], names: Container[str]) -> dict[str, Any]:
    """JSON Schema of those of its options that have these names: each may be left open."""
    own = model.model_json_schema()
    properties, definitions = {}, dict(own.get("$defs", {}))
    for name, declared in model.model_fields.items():
        called = declared.alias or name
        if _ask(declared) is not None and called in names:
            properties[called] = own["properties"][called]
        elif (inner := _inner(declared)) is not None:
            of_inner = schema_of(inner, names)
            properties |= of_inner["properties"]
            definitions |= of_inner.get("$defs", {})
    named = {"$defs": definitions} if any("$ref" in str(each) for each in properties.values()) else {}
    return {"type": "object", "properties": properties, "additionalProperties": False, **named}


def fields_of(model: type[BaseModel]) -> dict[str, FieldInfo]:
    """The fields behind its options, by name; those of inner models, too."""
    found: dict[str, FieldInfo] = {}
    for name, declared in model.model_fields.items():
        if _ask(declared) is not None:
            found[declared.alias or name] = declared
        elif (inner := _inner(declared)) is not None:
            found |= fields_of(inner)
    return found


def title_of(model: type[BaseModel], path: str) -> str:
    """What a parameter is called in the active language, by its place in what is stored; ``own.completeness`` is that
    of an aspect."""
    head, _, rest = path.partition(".")
    declared = {each.alias or name: each for name, each in model.model_fields.items()}.get(head)
    if declared is None:
        return path
    title = gettext(declared.title or head)
    if rest and (inner := _inner(declared)) is not None:
        return title_of(inner, rest)
    return f"{title}, {rest}" if rest else title


def typed_as(value: Any) -> str:
    """What people type in a form for this value."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Decimal):
        return f"{value.normalize():f}"
    if isinstance(value, float):
        return str(value).removesuffix(".0")
    return "" if value is None else str(value)


def _ask(declared: FieldInfo) -> Ask | None:
    return next((each for each in declared.metadata if isinstance(each, Ask)), None)


def _option(name: str, declared: FieldInfo, ask: Ask) -> Option:
    kinds = [each for each in _alternatives(declared.annotation) if each is not NoneType]
    can_be_none = len(kinds) < len(_alternatives(declared.annotation)) and declared.default is not None
    choices = dict(ask.choices) or {value: value for value in _values(kinds[0])}
    is_open = can_be_none or choices or declared.is_required()
    return Option(
        name=name,
        label=declared.title or name,
        kind=OptionKind.CHOICE if choices else _KINDS.get(kinds[0], OptionKind.TEXT),
        ask=ask,
        choices=tuple((str(value), label) for value, label in choices.items()),
        help=declared.description or "",
        usual=ask.usual or ("" if is_open else typed_as(declared.default)),
        initial=typed_as(declared.default) if can_be_none else "",
        can_be_none=can_be_none,
    )


_KINDS: Mapping[Any, OptionKind] = {
    bool: OptionKind.YES_NO,
    int: OptionKind.WHOLE,
    float: OptionKind.NUMBER,
    str: OptionKind.TEXT,
}


def _alternatives(annotation: Any) -> tuple[Any, ...]:
    return get_args(annotation) if get_origin(annotation) in (Union, UnionType) else (annotation,)


def _values(kind: Any) -> Iterable[str]:
    """Those of a Literal or an enumeration."""
    if get_origin(kind) is Literal:
        return map(str, get_args(kind))
    return [str(each.value) for each in kind] if isinstance(kind, type) and issubclass(kind, Enum) else ()


def _inner(declared: FieldInfo) -> type[BaseModel] | None:
    kind = declared.annotation
    return kind if isinstance(kind, type) and issubclass(kind, BaseModel) else None
