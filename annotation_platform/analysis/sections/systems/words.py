"""How many systems differ, and on what they are compared, in words."""

from collections.abc import Iterable, Iterator, Sequence

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from annotation_platform.analysis.sections.systems.figures import (
    DifferenceOfSystems,
)
from annotation_platform.analysis.sections.systems.table_rows import DifferenceRow
from annotation_platform.analysis.tables.words import MOST_NAMED, from_to, in_a_row

UNPAIRED = gettext_noop("Unpaired: no question was answered by both.")


def compared_on(found: tuple[DifferenceOfSystems, ...], unit: str, *, others: bool = False) -> Iterator[str]:
    """What is compared, and what may be taken for independent of each other."""
    paired = [each for each in found if each.is_paired]
    if paired:
        on = ngettext(
            "They are compared on the questions that both answered ({n}).",
            "Every two are compared on the questions that both answered ({n}).",
            len(found),
        )
        yield on.format(n=_from_to(each.items for each in paired))
    if apart := [" → ".join(each.systems) for each in found if not each.is_paired]:
        who = in_a_row(apart) if len(apart) <= MOST_NAMED else _("{n} pairs").format(n=len(apart))
        alone = _(
            "No question was answered by both of {systems}: there the means of all questions are compared, unpaired."
        )
        yield alone.format(systems=who)
    people = [each.for_others.annotators for each in found if each.for_others] if others else []
    if people:
        by_both = _("Intervals and p are by {unit} and by annotator (n = {n}).")
        yield by_both.format(unit=_(unit), n=_from_to(people))
    elif unit == "article":
        n = _from_to(each.units for each in found)
        yield _("Intervals and p are by article (n = {n}), because answers about one article are alike.").format(n=n)
    else:
        yield _("Intervals and p are by {unit}.").format(unit=_(unit))


def _from_to(counts: Iterable[int]) -> str:
    known = [*counts]
    return from_to(f"{min(known):,}", f"{max(known):,}")


def how_many_differ(side: str, sure: int, rows: Sequence[DifferenceRow]) -> str:
    """How many pairs of systems differ significantly, by p and interval."""
    if all(row.p_holm is None for row in rows):
        said = _("By {side} mean it cannot be tested whether any two systems differ.")
    elif not sure:
        said = ngettext(
            "By {side} mean it is not certain that the two systems differ.",
            "By {side} mean it is not certain that any two of the systems ({n} pairs) differ.",
            len(rows),
        )
    else:
        said = ngettext(
            "By {side} mean the two systems differ (p below 0.05 after Holm's correction, and an interval without 0).",
            "By {side} mean {sure} of {n} pairs of systems differ significantly (p below 0.05 after Holm's correction, "
            "and an interval without 0).",
            len(rows),
        )
    return said.format(side=_(side), sure=sure, n=len(rows))
