"""What is said to people: a code with parameters, which reads as its English sentence until an edge translates it.

An edge is where a person reads: a page, a command, an answer of the API. There the same reason is told in the
reader's language (``accounts/language.py``); a program goes by the code and the parameters.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from numbers import Integral, Number
from string import Formatter
from typing import Any, Self

_CODE = re.compile(r"[a-z]+(_[a-z]+)*\.[a-z0-9]+(_[a-z0-9]+)*")


@dataclass(frozen=True)
class Plural:
    """A sentence that depends on a number: the parameter named ``by``."""

    one: str
    other: str
    by: str = "count"


Sentence = str | Plural
"""The English of a code; ``{name}`` and ``{name:,}`` stand for its parameters, as in :meth:`str.format`."""

Translate = Callable[[str], str]
TranslatePlural = Callable[[str, str, int], str]

_sentences: dict[str, Sentence] = {}


def gettext_noop(text: str) -> str:
    """The text as it is; the name marks it for the catalogue of translations."""
    return text


def ngettext_noop(one: str, other: str, by: str = "count") -> Plural:
    """A sentence that depends on a number; the name marks both forms for the catalogue of translations."""
    return Plural(one, other, by)


def add_sentences(sentences: Mapping[str, Sentence]) -> None:
    """Make codes known, each by its English sentence.

    Raises
    ------
    ValueError
        When a code is not written like ``studies.name_taken``, or has another sentence already.
    """
    for code, sentence in sentences.items():
        if not _CODE.fullmatch(code):
            raise ValueError(f"“{code}” is no code; write it like studies.name_taken.")
        if _sentences.setdefault(code, sentence) != sentence:
            raise ValueError(f"The code “{code}” has another sentence already; choose another code.")


def all_sentences() -> Mapping[str, Sentence]:
    """Every code with its sentence in English."""
    return dict(_sentences)


def parameters_of(sentence: Sentence) -> frozenset[str]:
    """The names of the parameters that a sentence takes.

    Examples
    --------
    >>> sorted(parameters_of("There is no sentence {number}. Numbers lie between 1 and {count:,}."))
    ['count', 'number']
    """
    forms, needed = (
        ([sentence.one, sentence.other], {sentence.by}) if isinstance(sentence, Plural) else ([sentence], ())
    )
    return frozenset(name for form in forms for _, name, _, _ in Formatter().parse(form) if name).union(needed)


class Reason(str):
    """The English sentence of a code, which still knows its code and parameters.

    A parameter may be a reason itself, and a list is told as its members with commas between them.

    Examples
    --------
    >>> reason = Reason("judgment.no_choice", value="maybe", choices=["yes", "no"])
    >>> reason
    '“maybe” is not one of the choices (yes, no).'
    >>> reason.code
    'judgment.no_choice'
    """

    code: str
    parameters: Mapping[str, Any]

    def __new__(cls, code: str, /, **parameters: Any) -> Self:
        if code not in _sentences:
            raise LookupError(f"“{code}” is no code. Add its sentence to the sentences.py of its app.")
        parameters = {name: _plain(value) for name, value in parameters.items()}
        reason = super().__new__(cls, _told(_sentences[code], parameters, str, _in_english))
        reason.code = code
        reason.parameters = parameters
        return reason

    @classmethod
    def again(cls, code: str, parameters: Mapping[str, Any]) -> str:
        """The reason that was kept as its code and parameters; a code that is not known any more as it is written."""
        try:
            return cls(code, **parameters)
        except (LookupError, ValueError, TypeError):
            return f"{code} {dict(parameters)}" if parameters else code

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, Any]]:
        return (self.code,), dict(self.parameters)

    def told(self, translate: Translate, translate_plural: TranslatePlural) -> str:
        """The sentence in another language, by functions that work as ``gettext`` and ``ngettext`` do."""
        return _told(_sentences[self.code], self.parameters, translate, translate_plural)


def as_data(value: Any) -> Any:
    """What JSON can hold of something that is told: each reason, wherever it is in it, as its code and parameters.

    Examples
    --------
    >>> as_data([Reason("sentences.no_name", name="x"), "in words"])
    [{'code': 'sentences.no_name', 'parameters': {'name': 'x'}}, 'in words']
    """
    if isinstance(value, Reason):
        return {"code": value.code, "parameters": as_data(value.parameters)}
    if isinstance(value, Mapping):
        return {key: as_data(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [as_data(each) for each in value]
    if isinstance(value, Number) and not isinstance(value, int | float):
        return int(value) if isinstance(value, Integral) else float(value)  # type: ignore[arg-type]
    return value


def from_data(data: Any) -> Any:
    """The inverse of :func:`as_data`."""
    if isinstance(data, list):
        return [from_data(each) for each in data]
    if not isinstance(data, dict):
        return data
    inner = {key: from_data(each) for key, each in data.items()}
    return Reason.again(inner["code"], inner["parameters"]) if data.keys() == {"code", "parameters"} else inner


def _plain(value: Any) -> Any:
    """A parameter as it can be stored and sent: text, a number or a list; anything else as it is written."""
    if isinstance(value, str | Number):
        return value
    return [_plain(each) for each in value] if isinstance(value, list | tuple) else str(value)


def _in_english(one: str, other: str, number: int) -> str:
    return one if number == 1 else other


def _told(
    sentence: Sentence, parameters: Mapping[str, Any], translate: Translate, translate_plural: TranslatePlural
) -> str:
    def shown(value: Any) -> Any:
        if isinstance(value, Reason):
            return value.told(translate, translate_plural)
        return ", ".join(str(shown(each)) for each in value) if isinstance(value, list) else value

    if isinstance(sentence, Plural):
        form = translate_plural(sentence.one, sentence.other, parameters[sentence.by])
    else:
        form = translate(sentence)
    return form.format(**{name: shown(value) for name, value in parameters.items()})
