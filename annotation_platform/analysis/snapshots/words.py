"""What agreement, and what rescaling does to it, come to in words that say no more than the intervals do."""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from annotation_platform.accounts.language import why_in_language
from annotation_platform.analysis.measuring.certainty import is_certain
from annotation_platform.analysis.measuring.figures import CountedFigure, Figure, Interval, MainFigures, MeanChange
from annotation_platform.core.text import decimal


def headline_words(aspects: Sequence[MainFigures]) -> list[str]:
    """A sentence for each rescaled aspect, and one for all the others together."""
    compared = [aspect for aspect in aspects if aspect.is_rescaled]
    others = [aspect for aspect in aspects if not aspect.is_rescaled]
    sentences = [(aspect.title, change_in_words(aspect.raw, aspect.rescaled, aspect.change)) for aspect in compared]
    if len(others) == 1:
        sentences.append((others[0].title, alpha_in_words(others[0].alpha)))
    if len(sentences) == 1:
        found = [text[0].upper() + text[1:] for _title, text in sentences]
    else:
        found = [_("“%(title)s”: %(words)s") % {"title": title, "words": text} for title, text in sentences]
    return found + ([extremes_in_words(others)] if len(others) > 1 else [])


def alpha_in_words(alpha: CountedFigure) -> str:
    """Whether annotators agree beyond chance, as half a sentence that says no more than the interval does."""
    if alpha.value is None:
        return _undefined(alpha)
    figure = {"alpha": _two(alpha.value)}
    if alpha.interval is None:
        said = _(
            "Krippendorff α %(alpha)s, which has no interval, so it cannot be said whether annotators agree beyond "
            "chance: %(why)s"
        )
        return said % (figure | {"why": why_in_language(alpha.no_interval_because or "")})
    beyond = _("annotators agree beyond chance: Krippendorff α %(alpha)s (95 %% interval %(interval)s).")
    below = _(
        "annotators agree less than chance would have it: Krippendorff α %(alpha)s (95 %% interval %(interval)s)."
    )
    unsure = _(
        "it is not certain that annotators agree beyond chance: Krippendorff α %(alpha)s (95 %% interval %(interval)s)."
    )
    return {1: beyond, -1: below, 0: unsure}[side_of_zero(alpha)] % (figure | {"interval": _from_to(alpha.interval)})


def extremes_in_words(aspects: Sequence[MainFigures]) -> str:
    """On how many of several aspects people agree beyond chance; on which most and least, where that is certain.

    It is where their intervals meet those of no other aspect.
    """
    defined = [aspect for aspect in aspects if aspect.alpha.value is not None]
    if not defined:
        why = {"count": len(aspects), "why": why_in_language(aspects[0].alpha.undefined_because or "")}
        return _("On none of %(count)s aspects is agreement defined: %(why)s") % why
    if len(defined) == 1:
        (only,) = defined
        said = {"title": only.title, "count": len(aspects), "words": alpha_in_words(only.alpha)}
        return _("“%(title)s” is the only one of %(count)s aspects on which agreement is defined: %(words)s") % said
    beyond = sum(side_of_zero(aspect.alpha) == 1 for aspect in defined)
    text = _("Annotators agree beyond chance on %(beyond)s of %(count)s aspects")
    if beyond == len(defined):
        text = _("Annotators agree beyond chance on all %(count)s aspects")
        if beyond == 2:
            text = _("Annotators agree beyond chance on both aspects")
    elif not beyond:
        text = _("On none of %(count)s aspects is it certain that annotators agree beyond chance")
    first = text % {"beyond": beyond, "count": len(defined)}
    return _("%(first)s%(most_and_least)s.") % {
        "first": first,
        "most_and_least": _most_and_least(defined, is_agreement=bool(beyond)),
    }


def _most_and_least(aspects: list[MainFigures], *, is_agreement: bool) -> str:
    """On which of several aspects α is highest and lowest; “most” and “least” only where no other may be."""
    most, least = (pick(aspects, key=lambda aspect: aspect.alpha.value or 0.0) for pick in (max, min))
    high, low = (_two(each.alpha.value) for each in (most, least))
    if high == low:
        return _("; Krippendorff α is %(high)s on each") % {"high": high}
    named = {"high": high, "low": low, "most": most.title, "least": least.title}
    of_others = [[each.alpha for each in aspects if each is not one] for one in (most, least)]
    is_most = all(_is_above(most.alpha, other) for other in of_others[0])
    is_least = all(_is_above(other, least.alpha) for other in of_others[1])
    if is_agreement and is_most and is_least:
        return _(", most on “%(most)s” (Krippendorff α %(high)s) and least on “%(least)s” (α %(low)s)") % named
    if _is_above(most.alpha, least.alpha):
        said = _(
            "; Krippendorff α runs from %(low)s on “%(least)s” to %(high)s on “%(most)s”, and their intervals do not "
            "meet"
        )
        return said % named
    said = _(
        "; Krippendorff α runs from %(low)s on “%(least)s” to %(high)s on “%(most)s”, a difference that may be chance"
    )
    return said % named


def _is_above(one: Figure, other: Figure) -> bool:
    """Whether the whole interval of one figure lies above that of another."""
    return bool(one.interval and other.interval and one.interval[0] > other.interval[1])


def side_of_zero(figure: Figure) -> int:
    """1 where the whole interval lies above zero, -1 where it lies below, 0 where it does neither or is not there."""
    low, high = figure.interval or (0, 0)
    return int(low > 0) - int(high < 0)


def change_in_words(
    raw: CountedFigure, rescaled: CountedFigure | None, change: MeanChange | None, *, is_rescaled: bool = True
) -> str:
    """Raw and rescaled τ and their paired change as half a sentence that says no more than their intervals do."""
    if raw.value is None:
        if rescaled is None or rescaled.value is None:
            return _undefined(raw)
        said = {"alike": _alike(rescaled), "why": _because(raw.why_not)}
        return _("%(alike)s after rescaling; before, it is not defined: %(why)s.") % said
    if rescaled is None or rescaled.value is None or change is None or change.value is None:
        return _("%(words)s.") % {"words": f"{_alike(raw)}{_not_compared(rescaled, change) if is_rescaled else ''}"}
    how = _("it is not certain whether annotators order answers more alike after rescaling")
    if is_certain(change):
        how = _("annotators order answers less alike after rescaling")
        if change.value > 0:
            how = _("annotators order answers more alike after rescaling")
    figures = {
        "how": how,
        "rescaled": _two(rescaled.value),
        "raw": _two(raw.value),
        "interval": _from_to(change.interval) if change.interval else _("not defined"),
    }
    p = change.corrected_p
    if p is None:
        return _("%(how)s: τ %(rescaled)s, was %(raw)s (95 %% interval of the change %(interval)s).") % figures
    with_p = _("%(how)s: τ %(rescaled)s, was %(raw)s (95 %% interval of the change %(interval)s, corrected p %(p)s).")
    return with_p % (figures | {"p": "< 0.001" if p < 0.001 else format(p, ".3f")})


def _undefined(figure: Figure) -> str:
    return _("agreement is not defined: %(why)s") % {"why": why_in_language(figure.undefined_because or "")}


def _alike(tau: Figure) -> str:
    figure = {"tau": _two(tau.value)}
    if tau.interval is None:
        said = _("τ is %(tau)s without an interval, so it cannot be said whether answers are ordered alike")
        return said % figure
    alike = _("annotators order answers alike: τ %(tau)s (95 %% interval %(interval)s)")
    opposite = _("annotators order answers in opposite ways: τ %(tau)s (95 %% interval %(interval)s)")
    unsure = _("it is not certain that annotators order answers alike: τ %(tau)s (95 %% interval %(interval)s)")
    return {1: alike, -1: opposite, 0: unsure}[side_of_zero(tau)] % (figure | {"interval": _from_to(tau.interval)})


def _not_compared(rescaled: Figure | None, change: Figure | None) -> str:
    """Why there is nothing to compare the labels as given with."""
    if rescaled is None:
        return _("; not rescaled yet")
    if rescaled.value is None:
        return _("; after rescaling it is not defined: %(why)s") % {"why": _because(rescaled.why_not)}
    why = _because(change.undefined_because) if change and change.undefined_because else ""
    said = {"tau": _two(rescaled.value), "why": why or _("no pair of annotators has both")}
    return _("; rescaled τ %(tau)s, and the change is not defined: %(why)s") % said


def _because(why: str) -> str:
    """A reason as a part of a sentence."""
    return why_in_language(why).rstrip(".。")


def _from_to(interval: Interval) -> str:
    return _("%(first)s to %(last)s") % {"first": _two(interval[0]), "last": _two(interval[1])}


def _two(value: float | None) -> str:
    return "–" if value is None else decimal(value, 2)
