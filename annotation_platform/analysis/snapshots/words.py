"""What agreement, and what rescaling does to it, come to in words that say no more than the intervals do."""

from collections.abc import Sequence

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
        found = [text[0].upper() + text[1:] for _, text in sentences]
    else:
        found = [f"“{title}”: {text}" for title, text in sentences]
    return found + ([extremes_in_words(others)] if len(others) > 1 else [])


def alpha_in_words(alpha: CountedFigure) -> str:
    """Whether annotators agree beyond chance, as half a sentence that says no more than the interval does."""
    if alpha.value is None:
        return f"agreement is not defined: {alpha.undefined_because}"
    figure = f"Krippendorff α {_two(alpha.value)}"
    if alpha.interval is None:
        return (
            f"{figure}, which has no interval, so it cannot be said whether annotators agree beyond chance: "
            f"{alpha.no_interval_because}"
        )
    said = {1: "annotators agree beyond chance", -1: "annotators agree less than chance would have it"}
    how = said.get(side_of_zero(alpha), "it is not certain that annotators agree beyond chance")
    return f"{how}: {figure}{_between(alpha.interval)}."


def extremes_in_words(aspects: Sequence[MainFigures]) -> str:
    """On how many of several aspects people agree beyond chance; on which most and least, where that is certain.

    It is where their intervals meet those of no other aspect.
    """
    defined = [aspect for aspect in aspects if aspect.alpha.value is not None]
    if not defined:
        return f"On none of {len(aspects)} aspects is agreement defined: {aspects[0].alpha.undefined_because}"
    if len(defined) == 1:
        (only,) = defined
        text = f"“{only.title}” is the only one of {len(aspects)} aspects on which agreement is defined"
        return f"{text}: {alpha_in_words(only.alpha)}"
    beyond = sum(side_of_zero(aspect.alpha) == 1 for aspect in defined)
    of = f"{len(defined)} aspects"
    text = f"Annotators agree beyond chance on {beyond} of {of}"
    if beyond == len(defined):
        text = f"Annotators agree beyond chance on {'both aspects' if beyond == 2 else f'all {of}'}"
    elif not beyond:
        text = f"On none of {of} is it certain that annotators agree beyond chance"
    return f"{text}{_most_and_least(defined, is_agreement=bool(beyond))}."


def _most_and_least(aspects: list[MainFigures], *, is_agreement: bool) -> str:
    """On which of several aspects α is highest and lowest; “most” and “least” only where no other may be."""
    most, least = (pick(aspects, key=lambda aspect: aspect.alpha.value or 0.0) for pick in (max, min))
    high, low = (_two(each.alpha.value) for each in (most, least))
    if high == low:
        return f"; Krippendorff α is {high} on each"
    of_others = [[each.alpha for each in aspects if each is not one] for one in (most, least)]
    is_most = all(_is_above(most.alpha, other) for other in of_others[0])
    is_least = all(_is_above(other, least.alpha) for other in of_others[1])
    if is_agreement and is_most and is_least:
        return f", most on “{most.title}” (Krippendorff α {high}) and least on “{least.title}” (α {low})"
    are_apart = _is_above(most.alpha, least.alpha)
    how = "and their intervals do not meet" if are_apart else "a difference that may be chance"
    return f"; Krippendorff α runs from {low} on “{least.title}” to {high} on “{most.title}”, {how}"


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
            return f"agreement is not defined: {raw.undefined_because}"
        why = raw.why_not.rstrip(".")
        return f"{_alike(rescaled)} after rescaling; before, it is not defined: {why}."
    if rescaled is None or rescaled.value is None or change is None or change.value is None:
        return f"{_alike(raw)}{_not_compared(rescaled, change) if is_rescaled else ''}."
    how = "it is not certain whether annotators order answers more alike after rescaling"
    if is_certain(change):
        how = f"annotators order answers {'more' if change.value > 0 else 'less'} alike after rescaling"
    p = change.corrected_p
    return (
        f"{how}: τ {_two(rescaled.value)}, was {_two(raw.value)}"
        f" (95\u00a0% interval of the change{_between(change.interval, '')}{'' if p is None else _p(p)})."
    )


def _alike(tau: Figure) -> str:
    if tau.interval is None:
        return f"τ is {_two(tau.value)} without an interval, so it cannot be said whether answers are ordered alike"
    said = {1: "annotators order answers alike", -1: "annotators order answers in opposite ways"}
    how = said.get(side_of_zero(tau), "it is not certain that annotators order answers alike")
    return f"{how}: τ {_two(tau.value)}{_between(tau.interval)}"


def _not_compared(rescaled: Figure | None, change: Figure | None) -> str:
    """Why there is nothing to compare the labels as given with."""
    if rescaled is None:
        return "; not rescaled yet"
    if rescaled.value is None:
        return f"; after rescaling it is not defined: {rescaled.why_not.rstrip('.')}"
    why = (change and change.undefined_because) or "no pair of annotators has both"
    return f"; rescaled τ {_two(rescaled.value)}, and the change is not defined: {why.rstrip('.')}"


def _between(interval: Interval | None, frame: str = " (95\u00a0% interval{})") -> str:
    text = f" {_two(interval[0])} to {_two(interval[1])}" if interval else " not defined"
    return frame.format(text) if frame else text


def _p(value: float) -> str:
    return f", corrected p {'< 0.001' if value < 0.001 else format(value, '.3f')}"


def _two(value: float | None) -> str:
    return "–" if value is None else decimal(value, 2)
