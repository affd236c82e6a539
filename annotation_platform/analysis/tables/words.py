"""How numbers, lists and halves of sentences read in tables and in what is said of them."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from annotation_platform.accounts.language import in_language, why_in_language
from annotation_platform.analysis.measuring.certainty import unit_called
from annotation_platform.analysis.measuring.figures import AspectHead, Figure
from annotation_platform.core.few_units import units_in_words
from annotation_platform.core.text import decimal

DASH = "–"
MOST_NAMED = 5  # rows that are named one by one in a sentence


def number(value: Any, kind: str) -> str:
    """A number as pages write it: a true minus, thousands apart, and never more digits than it is worth."""
    if value is None or value == "":
        return DASH if kind != "text" else ""
    if kind == "count":
        return f"{value:,}"
    if kind == "share":
        return f"{decimal(100 * value, 1)}\u00a0%"
    if kind == "p":
        return f"{value:.3f}" if value >= 0.001 else "< 0.001"
    if kind == "time":
        if value < 120:
            return _("{seconds:.0f}\u00a0s").format(seconds=value)
        return _("{minutes:.1f}\u00a0min").format(minutes=value / 60)
    if kind == "money":
        return f"{value:,.2f}"
    if kind == "value":
        return decimal(value, 3)
    if kind == "score":
        return decimal(value, 1)
    return in_language(str(value) if not isinstance(value, str) else value)


def number_kind(aspect: AspectHead) -> str:
    """How numbers on an aspect's scale read: a mean of 0 to 3 is worth more digits than one of 0 to 100."""
    numbers = [label.number for label in aspect.labels if label.number is not None]
    return "score" if numbers and max(numbers) - min(numbers) > 10 else "value"


def sign(value: float) -> str:
    """A difference with its sign."""
    return decimal(value, 3, with_plus=True)


def why_undefined(figures: Mapping[str, Figure]) -> str:
    """Of figures by name, which are not defined, each with its reason; "" where all are."""
    return " ".join(
        _("{figure}: {why}").format(figure=name, why=why_in_language(each.undefined_because or ""))
        for name, each in figures.items()
        if each.value is None
    )


def between(interval: Sequence[float], kind: str) -> str:
    """As in “95 % interval 0.2 to 0.4”."""
    low, high = (number(end, kind) for end in interval)
    return _("95\u00a0% interval {low} to {high}").format(low=low, high=high)


def with_ends(value: float | None, interval: Sequence[float] | None, kind: str) -> str:
    """As in “0.3 [0.2, 0.4]”, or the number alone."""
    ends = f" [{', '.join(number(end, kind) for end in interval)}]" if interval else ""
    return f"{number(value, kind)}{ends}"


def possible_ranks(ranks: tuple[int, int] | None) -> str:
    """The best and the worst rank that something may have, as in “1 to 3”."""
    if ranks is None:
        return ""
    best, worst = ranks
    return from_to(f"{best}", f"{worst}")


def from_to(low: str, high: str) -> str:
    """As in “2 to 5”, or one number where both read the same."""
    return low if low == high else _("{low} to {high}").format(low=low, high=high)


def some(words: list[str]) -> list[str]:
    """The first of very many words, and how many more there are."""
    if len(words) <= MOST_NAMED + 1:
        return words
    return [*words[:MOST_NAMED], _("{n} more").format(n=len(words) - MOST_NAMED)]


def in_a_row(words: list[str]) -> str:
    """As in “one, two and three”."""
    if len(words) < 2:
        return "".join(words)
    return _("{first} and {last}").format(first=with_commas(words[:-1]), last=words[-1])


def with_commas(words: list[str]) -> str:
    """As in “one, two, three”."""
    return _(", ").join(words)


def units_called(name: str) -> str:
    """Several of the units that figures were stored with, as in “articles”."""
    return in_language(units_in_words(unit_called(name)))


def change_heading() -> str:
    """The heading of a difference; elsewhere “Change” is what a button does."""
    return pgettext("difference", "Change")


def half_sentence(why: str) -> str:
    """A reason without its full stop, to stand inside another sentence."""
    return why_in_language(why).rstrip(".。")


def upper_first(sentence: str) -> str:
    """A sentence of half of one, in languages that begin it with a capital letter."""
    return sentence[:1].upper() + sentence[1:]


def without_spaces(sentences: str) -> str:
    """Sentences as Japanese joins them; all others stay as they are."""
    return sentences.replace("。 ", "。")
