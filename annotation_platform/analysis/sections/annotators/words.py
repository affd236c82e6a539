"""What there is to say of annotators: who stands apart from the others, and whose leniency changed."""

from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from annotation_platform.accounts.language import why_in_language
from annotation_platform.analysis.measuring.certainty import is_certain
from annotation_platform.analysis.measuring.figures import AspectHead, ComparedFigure
from annotation_platform.analysis.sections.annotators.people import Annotator, annotators_of
from annotation_platform.analysis.sections.work.figures import WORK
from annotation_platform.analysis.tables.request import TableRequest
from annotation_platform.analysis.tables.words import in_a_row, number, number_kind, some, with_commas
from annotation_platform.core.text import TOO_FEW_TO_COMPARE

MORE_IN_LINE = gettext_noop("Annotator {name} is far more in line than the others: {what}.")


LESS_IN_LINE = gettext_noop("Annotator {name} is far less in line than the others: {what}.")


class StandsApart(NamedTuple):
    """How it is said that an annotator stands apart in a figure: above the others and below them, and by how much."""

    kind: str
    above: str
    below: str
    what: str


# Leniency is said by the end that is better.
STANDS_APART = {
    "tau": StandsApart("value", MORE_IN_LINE, LESS_IN_LINE, gettext_noop("mean τ with the others is {value}")),
    "same_label": StandsApart(
        "share", MORE_IN_LINE, LESS_IN_LINE, gettext_noop("others give the same label in {value} of cases")
    ),
    "seconds": StandsApart(
        "time",
        gettext_noop("Annotator {name} is far slower than the others: {what}."),
        gettext_noop("Annotator {name} is far faster than the others: {what}."),
        gettext_noop("the median judgment takes {value}"),
    ),
    "vacuous": StandsApart(
        "share",
        gettext_noop("Annotator {name} is far vaguer than the others: {what}."),
        gettext_noop("Annotator {name} is far more specific than the others: {what}."),
        gettext_noop("{value} of the explanations say nothing new"),
    ),
}


FEWEST = 5  # annotators of whom one can be said to stand apart, as `core.statistics.with_others` has it


MOST_FAR = 10  # sentences about annotators who stand apart


# Who gives higher numbers than others, and who gives lower ones, by the better end of the scale.
MORE_LENIENT = gettext_noop("Annotator {name} is far more lenient than the others: {what}.")


STRICTER = gettext_noop("Annotator {name} is far stricter than the others: {what}.")


LENIENCY: dict[str | None, tuple[str, str]] = {
    "high": (MORE_LENIENT, STRICTER),
    "low": (STRICTER, MORE_LENIENT),
    None: (
        gettext_noop("Annotator {name} is far higher than the others: {what}."),
        gettext_noop("Annotator {name} is far lower than the others: {what}."),
    ),
}


GREW_MORE_LENIENT = gettext_noop("{names} grew more lenient")


GREW_STRICTER = gettext_noop("{names} grew stricter")


DRIFT: dict[str | None, tuple[str, str]] = {
    "high": (GREW_MORE_LENIENT, GREW_STRICTER),
    "low": (GREW_STRICTER, GREW_MORE_LENIENT),
    None: (
        gettext_noop("{names} came to give higher numbers"),
        gettext_noop("{names} came to give lower numbers"),
    ),
}


def far_in_words(annotator: Annotator, aspect: AspectHead) -> list[str]:
    """A sentence for each figure in which the annotator stands apart from the others."""
    return [_far_in_words(annotator.name, key, figure, aspect) for key, figure in annotator.standing_apart]


def _far_in_words(name: str, key: str, figure: ComparedFigure, aspect: AspectHead) -> str:
    value, z = figure.value or 0.0, figure.z or 0.0
    if key == "leniency":
        kind, (above, below) = number_kind(aspect), LENIENCY[aspect.better]
        what = _mean_label(value, number(abs(value), kind))
    else:
        kind, above, below, said = STANDS_APART[key]
        what = _(said).format(value=number(value, kind))
    beside = _("{what} (median of all annotators {median}; modified z {z})").format(
        what=what, median=number(figure.median, kind), z=number(z, "score")
    )
    return _(above if z > 0 else below).format(name=name, what=beside)


def _mean_label(value: float, distance: str) -> str:
    if not float(distance):
        return _("labels are on average as high as those of others")
    if value > 0:
        return _("labels are on average {distance} above those of others").format(distance=distance)
    return _("labels are on average {distance} below those of others").format(distance=distance)


def who_is_far(asked: TableRequest) -> list[str]:
    """A sentence for each figure in which any annotator stands apart from the others; of very many, the farthest."""
    found = [
        (-abs(figure.z or 0.0), _far_in_words(each.name, key, figure, asked.head))
        for each in annotators_of(asked)
        for key, figure in each.standing_apart
    ]
    if len(found) <= MOST_FAR:
        return [sentence for _far, sentence in found]
    told = [sentence for _far, sentence in sorted(found)[:MOST_FAR]]
    more = _("{n:,} more figures stand apart; the table says whose.")
    return [*told, more.format(n=len(found) - MOST_FAR)]


def otherwise_in_words(asked: TableRequest) -> list[str]:
    """What else there is to say of the annotators together."""
    people = annotators_of(asked)
    nobody_far = [] if any(each.far for each in people) else [_nobody_far(people)]
    return [*nobody_far, *drift_in_words(people, asked.head), *_without_judgment(asked)]


def _without_judgment(asked: TableRequest) -> list[str]:
    """How many judgments say that an item cannot be judged, and whose they are."""
    work = asked.section(WORK).annotators
    said = {each.name: each.cannot_judge for each in work if each.cannot_judge}
    if not said:
        return []
    count = sum(each.judgments for each in work)
    most_first = sorted(said.items(), key=lambda pair: -pair[1])
    whose = with_commas([f"{name} {n:,}" for name, n in most_first[:MOST_FAR]])
    if len(said) > MOST_FAR:
        whose = _("{names} and {n:,} more").format(names=whose, n=len(said) - MOST_FAR)
    sentence = ngettext(
        "{n:,} of {count:,} judgments says “cannot judge” ({whose}); they count as missing in every figure.",
        "{n:,} of {count:,} judgments say “cannot judge” ({whose}); they count as missing in every figure.",
        sum(said.values()),
    )
    return [sentence.format(n=sum(said.values()), count=count, whose=whose)]


def _nobody_far(people: list[Annotator]) -> str:
    return _(TOO_FEW_TO_COMPARE) if are_too_few(people) else _("No annotator stands far apart from the others.")


def are_too_few(people: list[Annotator]) -> bool:
    figures = zip(*((each.leniency, each.tau, each.same_label) for each in people), strict=True)
    return max((sum(each.value is not None for each in column) for column in figures), default=0) < FEWEST


def drift_in_words(people: list[Annotator], aspect: AspectHead) -> list[str]:
    """Whose leniency significantly changed in the course of the work; nothing where drift was not measured."""
    drifts = {each.name: each.drift for each in people if each.drift is not None}
    defined = {name: drift.value for name, drift in drifts.items() if drift.value is not None}
    if not defined:
        why = [why_in_language(drift.undefined_because or "") for drift in [*drifts.values()][:1]]
        return [_("Drift is not defined: {why}").format(why=each) for each in why]
    sure = {name: value for name, value in defined.items() if is_certain(drifts[name])}
    kind, said = number_kind(aspect), []
    for way, how in zip((1, -1), DRIFT[aspect.better], strict=True):
        most_first = sorted(sure.items(), key=lambda drift: -abs(drift[1]))
        if moved := [f"{name} ({_signed(value, kind)})" for name, value in most_first if value * way > 0]:
            said.append(_(how).format(names=in_a_row(some(moved))))
    if len(sure) < len(defined):
        whose = _of_them(len(defined) - len(sure), len(drifts))
        said.append(_("no change of leniency is significant for {whose}").format(whose=whose))
    if len(defined) < len(drifts):
        whose = _of_them(len(drifts) - len(defined), len(drifts))
        said.append(_("drift is not defined for {whose}").format(whose=whose))
    return [_("From first judgment to last, {words}.").format(words=_("; ").join(said))]


def _signed(value: float, kind: str) -> str:
    return f"{'+' if value > 0 else ''}{number(value, kind)}"


def _of_them(count: int, of: int) -> str:
    return _("any annotator") if count == of else _("{n} of {of} annotators").format(n=count, of=of)
