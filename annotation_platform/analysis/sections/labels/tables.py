"""How often each label was given, and the mean score behind each."""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotation_platform.analysis.measuring.figures import Label
from annotation_platform.analysis.sections.labels.figures import (
    LABEL_DISTRIBUTION,
    LABELS_BY_PART,
    MEAN_BY_LABEL,
    GroupLabels,
    LabelShare,
    PartLabels,
)
from annotation_platform.analysis.sections.labels.table_rows import AllRow, GroupRow, MeanRow, ShareOfLabel
from annotation_platform.analysis.sections.systems.drawn_tables import of_judged_ones_only
from annotation_platform.analysis.sections.systems.figures import DRAWN_SYSTEMS
from annotation_platform.analysis.tables.base import Column, FigureTable
from annotation_platform.analysis.tables.others import as_asked, speaks_for
from annotation_platform.analysis.tables.request import TableOf, TableRequest
from annotation_platform.analysis.tables.rows import estimate_of, estimated
from annotation_platform.analysis.tables.words import number, with_commas
from annotation_platform.core.errors import NotThereError

CAPTIONS = {
    "annotator": gettext_noop(
        "Share of each label; thin lines are 95\u00a0% intervals, grey ticks the share over all annotators."
    ),
    "system": gettext_noop(
        "Share of each label; its 95\u00a0% interval and n show on hovering, and stand in the table."
    ),
}
CAPTION_OF_PART = gettext_noop("Share of each label among these items; thin lines are 95\u00a0% intervals.")
TITLES = {"annotator": gettext_noop("Labels by annotator"), "system": gettext_noop("Labels by system")}
HEADINGS = {"annotator": gettext_noop("Annotator"), "system": gettext_noop("System")}


def labels_table(asked: TableRequest, by: str) -> FigureTable | None:
    """Share of each label, by annotator or by system; None where there are no systems.

    By annotator the address may choose a part of the items: a system, or a system of a source (``source~system``).
    """
    part = asked.parameters.get("part", "") if by == "annotator" else ""
    distribution, labels, best = asked.section(LABEL_DISTRIBUTION), asked.head.labels, asked.head.best_label
    groups = part_of(asked, part).annotators if part else distribution.by_annotator
    if by == "system" and not (groups := distribution.by_system):
        return None
    one = asked.parameters.get("annotator")
    own = [_row(GroupRow, asked, group, group.name) for group in groups if one in (None, "", group.name)]
    if by == "system" and not one:
        together = _("{name} (together)")
        own += [_row(GroupRow, asked, each, together.format(name=each.name)) for each in distribution.by_family]
    whole = () if part else distribution.overall
    rows = [*(_row(AllRow, asked, group, _("All")) for group in whole), *own]
    told = next((label for label in labels if label.key == best), labels[0])
    return FigureTable(
        name=f"labels-{by}",
        title=_("Labels by annotator, {part}").format(part=_part_in_words(part)) if part else _(TITLES[by]),
        reading=_one_reading(rows, told) if one and rows else _spread_reading(own, told, by),
        columns=[
            Column("name", _(HEADINGS[by])),
            Column("judgments", _("Judgments"), "count"),
            Column("items", _("Items"), "count"),
            *[Column(f"label_{label.key}", label.label, "share", True) for label in labels],
        ],
        rows=rows,
        charts={f"labels-{by}": _(CAPTION_OF_PART if part else CAPTIONS[by])} if rows else {},
        ranked_by={f"labels-{by}": f"label_{told.key}"},
        meta={"labels": labels, "best": best} | {"query": asked.query_of("annotator", "part", "others")},
        unit=asked.head.unit,
        speaks_for=speaks_for(asked) if by == "system" else "",
        offers_others=by == "system",
        are_wide=asked.others and by == "system",
    )


def _part_in_words(part: str) -> str:
    """A system, or a system of a source, as the address names it."""
    *source, system = part.split("~")
    return _("{system} of {source}").format(system=system, source="~".join(source)) if source else system


def parts_of(asked: TableRequest) -> dict[str, str]:
    """The parts of the items that labels are given by, as the address names them, and in words."""
    parts = (asked.section(LABELS_BY_PART) if asked.has(LABELS_BY_PART) else None) or ()
    return {each.key: f"{each.system}, {each.source}" if each.source else each.system for each in parts}


def part_of(asked: TableRequest, part: str) -> PartLabels:
    for each in asked.section(LABELS_BY_PART) or ():
        if part == each.key:
            return each
    raise NotThereError("analysis.no_part_of_items")


def _row(kind: type[GroupRow], asked: TableRequest, group: GroupLabels, name: str) -> GroupRow:
    shares = {key: _share(asked, label, group.no_interval_because) for key, label in group.labels.items()}
    return kind(name=name, judgments=group.judgments, items=group.items, label=shares)


def _share(asked: TableRequest, label: LabelShare, why: str | None) -> ShareOfLabel:
    if asked.others and label.for_others:
        why = label.for_others.no_interval_because
    shown = estimated(label.share, as_asked(asked, label).interval, why or "", label.units)
    return ShareOfLabel(**vars(shown), count=label.count)


def means_table(asked: TableRequest) -> FigureTable | None:
    """Mean rescaled score of each label; None before any run."""
    if (means := asked.section(MEAN_BY_LABEL)) is None:
        return None
    rows = [
        MeanRow(
            label=mean.label,
            number=mean.number,
            items=mean.items,
            annotators=mean.annotators,
            judgments=mean.judgments,
            undefined_because=mean.why_not,
            mean=estimate_of(mean),
        )
        for mean in means
    ]
    mean_of = _("“{label}” {mean}")
    parts = [
        mean_of.format(label=row.label, mean=number(row.mean.value, "score"))
        for row in rows
        if row.mean.value is not None
    ]
    said = _("Mean rescaled score: {parts}.").format(parts=with_commas(parts))
    return FigureTable(
        name="means-label",
        title=_("Mean score by label"),
        reading=said if parts else _("No label has been scored."),
        columns=[
            Column("label", _("Label")),
            Column("number", _("Number on the scale"), "score"),
            Column("mean", _("Mean score"), "score", True),
            Column("judgments", _("Judgments"), "count"),
            Column("items", _("Items"), "count"),
            Column("undefined_because", _("Remark")),
        ],
        rows=rows,
        charts={"means-label": _("Ticks mark the scale's own number.")},
        unit=asked.head.unit,
    )


def _one_reading(rows: Sequence[GroupRow], label: Label) -> str:
    """One group beside all of them."""
    first, own = rows[0], rows[-1]
    if isinstance(own, AllRow):
        return _("There are no judgments yet.")
    said = {"label": label.label, "share": number(own.label[label.key].value, "share"), "name": own.name}
    if isinstance(first, AllRow):
        text = _("“{label}” has a share of {share} in {name}, and of {overall} overall.")
        return text.format(**said, overall=number(first.label[label.key].value, "share"))
    return _("“{label}” has a share of {share} in {name}.").format(**said)


def _spread_reading(rows: Sequence[GroupRow], label: Label, by: str) -> str:
    shares = [(value, row.name) for row in rows if (value := row.label[label.key].value) is not None]
    if not shares:
        return _("There are no judgments yet.")
    (low, least), (high, most) = min(shares), max(shares)
    of_people = by == "annotator"
    if low < high:
        text = (
            _("The share of “{label}” runs from {low} (annotator {least}) to {high} (annotator {most}).")
            if of_people
            else _("The share of “{label}” runs from {low} (system {least}) to {high} (system {most}).")
        )
    elif len(shares) == 1:
        text = (
            _("The share of “{label}” is {low} for annotator {least}, the only one.")
            if of_people
            else _("The share of “{label}” is {low} for system {least}, the only one.")
        )
    else:
        text = (
            _("The share of “{label}” is {low} for every annotator.")
            if of_people
            else _("The share of “{label}” is {low} for every system.")
        )
    return text.format(label=label.label, low=number(low, "share"), high=number(high, "share"), least=least, most=most)


TABLES = {
    "labels-annotator": TableOf(
        (LABEL_DISTRIBUTION.key, LABELS_BY_PART.key), lambda asked: labels_table(asked, "annotator")
    ),
    "labels-system": TableOf(
        (LABEL_DISTRIBUTION.key, DRAWN_SYSTEMS.key), of_judged_ones_only(lambda asked: labels_table(asked, "system"))
    ),
    "means-label": TableOf((MEAN_BY_LABEL.key,), means_table),
}
