"""How far the model's labels follow people's majority, in words."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation_platform.analysis.sections.human_llm.table_rows import AlignmentRow
from annotation_platform.analysis.tables.base import Column
from annotation_platform.analysis.tables.words import number


def alignment_reading(rows: list[AlignmentRow]) -> str:
    known = [row for row in rows if row.rho.value is not None and row.has_order]
    text = _("No correlation with the majority is defined for labels with an order")
    if len(known) == 1:
        text = _follows(known[0])
        if len(rows) > 1:
            only = _("{words}, on “{aspect}”, the only one of {n} aspects for which it is defined")
            text = only.format(words=text, aspect=known[0].aspect, n=len(rows))
    elif known:
        text = _follows_on_several(known, len(rows))
    if failures := sum(row.failures for row in rows):
        such = ngettext(
            "{words}. A reply without a label counts as wrong; there is {n:,} of them.",
            "{words}. A reply without a label counts as wrong; there are {n:,} of them.",
            failures,
        )
    else:
        such = _("{words}. A reply without a label counts as wrong; there are none.")
    return " ".join([such.format(words=text, n=failures), *_left_open(sum(row.left_open for row in rows))])


def _left_open(n: int) -> list[str]:
    """How many items the model left out by its other answers, as people do."""
    if not n:
        return []
    said = ngettext(
        "{n:,} item is left out, since the model's other answers leave the question out, or it may stay open.",
        "{n:,} items are left out, since the model's other answers leave the question out, or it may stay open.",
        n,
    )
    return [said.format(n=n)]


def _follows(row: AlignmentRow) -> str:
    """Whether the model's labels go with people's majority on one aspect, by the interval of ρ."""
    rho = Column("rho", "", "value", has_interval=True).show(row.cells)
    if row.rho.low is None:
        said = _("ρ of the model's labels with people's majority is {rho} without an interval")
    elif row.rho.is_above:
        said = _("The model's labels follow people's majority, ρ {rho}")
    elif row.rho.is_below:
        said = _("The model's labels run against people's majority, ρ {rho}")
    else:
        said = _("It is not certain that the model's labels follow people's majority, ρ {rho}")
    return said.format(rho=rho)


def _follows_on_several(known: list[AlignmentRow], of: int) -> str:
    follows = sum(row.rho.is_above for row in known)
    rho = {row.aspect: row.rho.value or 0.0 for row in known}
    best, worst = (pick(rho, key=lambda aspect: rho[aspect]) for pick in (max, min))
    mean = sum(rho.values()) / len(known)
    if rho[best] == rho[worst]:
        said = _(
            "The model's labels significantly follow people's majority on {follows} of {n} aspects (of {of}) that have "
            "an order and a defined ρ; ρ is {mean} on average and the same on each"
        )
    else:
        said = _(
            "The model's labels significantly follow people's majority on {follows} of {n} aspects (of {of}) that have "
            "an order and a defined ρ; ρ is {mean} on average, from {low} on “{worst}” to {high} on “{best}”"
        )
    return said.format(
        follows=follows,
        n=len(known),
        of=of,
        mean=number(mean, "value"),
        low=number(rho[worst], "value"),
        worst=worst,
        high=number(rho[best], "value"),
        best=best,
    )
