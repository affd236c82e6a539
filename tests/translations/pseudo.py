"""A language in which all that is translated is told from what is not: gettext gives its words in full-width letters.

What a page of it still says in plain letters is either data or not translated. See ``test_nothing_is_left.py``.
"""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from html.parser import HTMLParser
from typing import NamedTuple
from unittest.mock import patch

from django.apps import apps
from django.db import models
from django.utils.translation.trans_real import CONTEXT_SEPARATOR, DjangoTranslation

from annotation_platform.accounts.reason_fields import ReasonField
from annotation_platform.core.reasons import Reason
from annotation_platform.core.schemes import preset
from annotation_platform.core.schemes.loading import preset_titles

# What programs read in a text: placeholders, tags, entities, addresses of other servers.
_KEPT = re.compile(r"%\(\w+\)[#0 +-]*[\d.]*[a-z]|%[a-z%]|\{[^{}]*\}|<[^<>]*>|&#?\w+;|https?://\S+")
# Addresses, names of files and of programs that are words of English, names in programs (a dot or a line in them), what
# another program calls something (quoted), and columns of a file (a comma after each).
_ADDRESS = re.compile(
    r"https?://\S+|[\w.+-]+@[\w.-]+|[\w-]*\.(?:csv|eval|json|md|parquet|py|xlsx|yaml)\b|lm-evaluation-harness|MT-Bench"
    r"|\b[A-Za-z]+(?:[._][A-Za-z*]+)+|「[A-Za-z .]+」|(?:\b[a-z]+[、,] ?)+[a-z]+、|\bkind（gold か attention）",
    re.ASCII,
)
_WORD = re.compile(r"[A-Za-z]{3,}")  # not shorter ones: “j M Y” is the form of a date
_WIDE = {code: code - 0x21 + 0xFF01 for code in range(0x21, 0x7F) if chr(code).isalpha()}
_READ_ALOUD = {"title", "aria-label", "aria-description", "placeholder", "alt", "data-label", "data-confirm"}
_NO_WORDS = {"script", "style", "code", "pre", "kbd", "samp", "math", "var", "svg", "textarea"}
_WITHOUT_END = {"br", "img", "input", "meta", "link", "hr", "col", "wbr", "source"}
# Written alike in every language.
NAMES = frozenset(
    re.findall(
        r"\S+",
        "ACORN Apache API Argilla Arize Arrow AssignmentId Batch booktabs CAS CoS CrowdWorks CSS CSV datasets Dawid "
        "doccano DPO EBR ECQA evals EVOUNA Excel FastChat Gwet HELM HTML HTTP HTTPS ICC ID IDs INCEpTION "
        "Inspect Jaccard JSON JSONL KTO Label Langfuse LangSmith LaTeX LibreOffice Lines LLM MACE MASI MATE "
        "Mbit MIN MIT Numbers ODC OpenAI OpenTelemetry OTLP pandas Parquet PDF Phoenix PNG POST Potato "
        "Prodigy Prolific Python README REV Schema SHA Skene Standard Studio SVG TRL TSV UIMA URL UTC UTF "
        "Webhook Webhooks WorkerId XLSX YAML ZIP",
    )
)


class Found(NamedTuple):
    """A text of a page with words that did not come from a translation."""

    text: str
    words: tuple[str, ...]


def wide(text: str) -> str:
    """The text with its words in full-width letters, but for what programs read in it.

    Examples
    --------
    >>> wide("%(count)s tasks of <b>{name}</b>, j M")
    '%(count)s ｔａｓｋｓ of <b>{name}</b>, j M'
    """
    parts, end = [], 0
    for kept in _KEPT.finditer(text):
        parts += [_widened(text[end : kept.start()]), kept.group()]
        end = kept.end()
    return "".join([*parts, _widened(text[end:])])


def _widened(text: str) -> str:
    return _WORD.sub(lambda word: word.group().translate(_WIDE), text)


@contextmanager
def pseudo() -> Iterator[None]:
    """While it lasts, whatever goes through gettext comes out in full-width letters, in every language."""
    one, many = DjangoTranslation.gettext, DjangoTranslation.ngettext

    def gettext(self: DjangoTranslation, message: str) -> str:
        return wide(one(self, message).rpartition(CONTEXT_SEPARATOR)[2])

    def ngettext(self: DjangoTranslation, singular: str, plural: str, number: int) -> str:
        return wide(many(self, singular, plural, number).rpartition(CONTEXT_SEPARATOR)[2])

    with patch.multiple(DjangoTranslation, gettext=gettext, ngettext=ngettext):
        yield


class _Texts(HTMLParser):
    """What of a page is read, element by element; not what says that it is in another language."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._open: list[tuple[str, bool]] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        silent = tag in _NO_WORDS or named.get("translate") == "no" or ("lang" in named and tag != "html")
        if not silent and not self._silent():
            self.texts += [value for name, value in attrs if name in _READ_ALOUD and value]
            if tag == "input" and named.get("type") in {"submit", "button", "reset"}:
                self.texts.append(named.get("value") or "")
        if tag not in _WITHOUT_END:
            self._open.append((tag, silent))

    def handle_endtag(self, tag: str) -> None:
        for place in range(len(self._open) - 1, -1, -1):
            if self._open[place][0] == tag:
                del self._open[place:]
                return

    def handle_data(self, data: str) -> None:
        if not self._silent():
            self.texts.append(data)

    def _silent(self) -> bool:
        return any(silent for _tag, silent in self._open)


def left_in(page: str, data: "Data") -> list[Found]:
    """The texts of a page, made under :func:`pseudo`, that have words which are neither translated nor data."""
    found = []
    for text in dict.fromkeys(" ".join(each.split()) for each in _Texts(page).texts):
        if words := tuple(word for word in _WORD.findall(data.taken_out_of(text)) if word not in NAMES):
            found.append(Found(text, words))
    return found


class Data:
    """What people, corpora and schemes say: texts that no translation is to touch."""

    def __init__(self, texts: Iterable[str]) -> None:
        whole = {" ".join(text.split()) for text in texts}
        self._whole = {text for text in whole if _WORD.search(text)}
        # Longest first, and by their first words: a text is found in a page without trying all of them.
        self._by_start: dict[str, list[str]] = {}
        for text in sorted(self._whole, key=len, reverse=True):
            self._by_start.setdefault(text[:3], []).append(text)

    def taken_out_of(self, text: str) -> str:
        """The text without the data in it, also without data of which it has the beginning only, and an ellipsis."""
        if text in self._whole:
            return ""
        text = _ADDRESS.sub(" ", text)
        kept, place = [], 0
        while place < len(text):
            if length := self._length_at(text, place):
                place += length
                kept.append(" ")
            else:
                kept.append(text[place])
                place += 1
        return "".join(kept)

    def _length_at(self, text: str, place: int) -> int:
        if place and text[place - 1].isascii() and text[place - 1].isalnum():
            return 0
        rest = text[place:]
        begin_alike = self._by_start.get(rest[:3], ())
        cut = rest.find("…")  # looked for first: another text may be the beginning of the one that is cut
        if cut >= 3 and any(each.startswith(rest[:cut].rstrip()) for each in begin_alike):
            return cut + 1
        for each in begin_alike:
            after = rest[len(each) : len(each) + 1]
            if rest.startswith(each) and not (after.isascii() and after.isalnum() and each[-1].isalnum()):
                return len(each)
        return 0


_MARKS = re.compile(r"[*`\[\]]+|^[#>\s-]+|^\d+\. ")  # of Markdown; a page has an element for what is between them
# Stored by the platform itself, so that pages are to translate them.
_OURS = {"closed_because", "via", "codename", "app_label"}


def texts_in_the_database() -> Iterator[str]:
    """Whatever text is stored, but for what the platform says itself: values of a field's choices, and reasons."""
    codes = {str(value) for model in apps.get_models() for field in model._meta.fields for value, _ in _choices(field)}
    for model in apps.get_models():
        fields = [field for field in model._meta.fields if _holds_texts(field)]
        for row in model._base_manager.values_list(*(field.attname for field in fields)).iterator(chunk_size=500):
            yield from (text for value in row for text in texts_in(value) if text not in codes)


def texts_of_presets() -> Iterator[str]:
    for key, title in preset_titles().items():
        yield from (f"{key}: {title}", title, *texts_in(preset(key)))


def _choices(field: models.Field) -> list[tuple[object, object]]:  # type: ignore[type-arg]
    return list(field.flatchoices) if field.choices else []


def _holds_texts(field: models.Field) -> bool:  # type: ignore[type-arg]
    if field.choices or field.name in _OURS or isinstance(field, ReasonField):
        return False
    return isinstance(field, models.CharField | models.TextField | models.JSONField)


def texts_in(value: object) -> Iterator[str]:
    """The texts of anything that JSON holds, and what is between the marks of Markdown in them."""
    if isinstance(value, dict):
        for each in value.values():
            yield from texts_in(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from texts_in(each)
    elif isinstance(value, str) and not isinstance(value, Reason):
        yield value
        yield from (part for line in value.splitlines() for part in [line, *_MARKS.split(line)])
