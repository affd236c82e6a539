"""What a run makes of each annotator: the class means, and the annotator's own order before and after."""

from collections.abc import Iterator, Sequence

from django.utils.translation import gettext as _

from annotation_platform.analysis.measuring.figures import Label
from annotation_platform.analysis.sections.variants.chosen import chosen_variant, variants_of
from annotation_platform.analysis.sections.variants.figures import AnnotatorsOrder, ClassMean
from annotation_platform.analysis.sections.variants.table_rows import ClassRow, MeanOfLabel, OwnOrderRow
from annotation_platform.analysis.tables.base import Column, FigureTable
from annotation_platform.analysis.tables.leading import highest
from annotation_platform.analysis.tables.request import TableRequest
from annotation_platform.analysis.tables.rows import estimate_of
from annotation_platform.analysis.tables.words import in_a_row, number, some, with_commas


def classes_table(asked: TableRequest) -> FigureTable | None:
    """g, the mean score of each label by annotator, with its count (Table 6 of the EBR paper in the first row)."""
    if (variant := chosen_variant(asked)) is None or (found := variants_of(asked)) is None:
        return None
    labels = found.labels
    rows = [
        ClassRow(
            name=one.annotator or _("All"),
            is_all=one.annotator is None,
            label={label.key: _mean(one.labels[label.key]) for label in labels},
        )
        for one in variant.classes
    ]
    return FigureTable(
        name="classes",
        title=_("Class means by annotator"),
        reading=_classes_reading(rows, labels),
        columns=[Column("name", _("Annotator")), *_class_columns(labels)],
        rows=rows,
        charts={"classes": _("Dots are the mean score behind each label (g), lines 95\u00a0% intervals.")},
        meta={"query": asked.query_of("variant"), "labels": labels},
        ranked_by={"classes": f"label_{labels[0].key}"} if labels else {},
    )


def _mean(of: ClassMean) -> MeanOfLabel:
    return MeanOfLabel(**vars(estimate_of(of)), count=of.judgments)


def own_order_table(asked: TableRequest) -> FigureTable | None:
    """Each annotator against their own labels, as the run's scores were made."""
    if (variant := chosen_variant(asked)) is None or (found := variants_of(asked)) is None:
        return None
    rows = [_own_order_row(one) for one in variant.own_order]
    return FigureTable(
        name="own-order",
        title=_("Annotators against themselves"),
        reading=_own_order_reading(rows),
        columns=[
            Column("name", _("Annotator")),
            Column("reversed", _("Own pairs reversed"), "share", True),
            Column("tied", _("Own pairs made equal"), "share", True),
            Column("spread", _("Variance left"), "share", True),
            Column("nuance", _("of it within labels"), "share", True),
            Column("ordered_pairs", _("Ordered pairs"), "count"),
            Column("judgments", _("Judgments"), "count"),
            Column("undefined_because", _("Remark")),
        ],
        rows=rows,
        charts={"own-order": _("Share of an annotator's ordered pairs that is reversed; dashed: the guard's limit.")},
        meta={"query": asked.query_of("variant"), "limit": found.limits.reversed},
        ranked_by={"own-order": "reversed"},
    )


def _own_order_row(one: AnnotatorsOrder) -> OwnOrderRow:
    return OwnOrderRow(
        name=one.annotator,
        ordered_pairs=one.ordered_pairs,
        items=one.reversed.items,
        annotators=one.reversed.annotators,
        judgments=one.reversed.judgments,
        undefined_because=one.reversed.why_not,
        reversed=estimate_of(one.reversed),
        tied=estimate_of(one.tied),
        spread=estimate_of(one.spread),
        nuance=estimate_of(one.nuance),
    )


def _own_order_reading(rows: list[OwnOrderRow]) -> str:
    most = highest(rows, lambda row: row.reversed.value, "share")
    if not most:
        return _("No annotator gave two different labels.")
    if not (share := most[0].reversed.value):
        return _("The order that annotators' own labels gave is turned round for none of them.")
    of_pairs = _("{name} (of {n:,} pairs of judgments)")
    said = [of_pairs.format(name=row.name, n=row.ordered_pairs) for row in most]
    return _("The order that an annotator's own labels gave is turned round most, in {share}, for {names}.").format(
        share=number(share, "share"), names=in_a_row(some(said))
    )


def _class_columns(labels: Sequence[Label]) -> Iterator[Column]:
    for label in labels:
        yield Column(f"label_{label.key}", label.label, "score", True)
        yield Column(f"label_{label.key}_count", "n", "count")


def _classes_reading(rows: list[ClassRow], labels: Sequence[Label]) -> str:
    everybody = next((row for row in rows if row.is_all), None)
    if everybody is None:
        return _("No explanation has been scored.")
    means = [(label.label, everybody.label[label.key].value) for label in labels]
    mean_of = _("“{label}” {mean}")
    said = [mean_of.format(label=label, mean=number(mean, "score")) for label, mean in means if mean is not None]
    if not said:
        return _("No explanation has been scored.")
    return _("Mean score behind each label over all annotators: {means}.").format(means=with_commas(said))
