"""The words that judgments mark: agreement by label, and how much is marked."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotation_platform.accounts.language import why_in_language
from annotation_platform.analysis.measuring.figures import Figure
from annotation_platform.analysis.sections.spans.figures import SPANS, MarkedLabel, MarkedSpans
from annotation_platform.analysis.tables.base import (
    Column,
    FigureTable,
    Row,
    counts_of,
    half_sentence,
    number,
    sided,
    with_commas,
    with_ends,
    with_interval,
)
from annotation_platform.analysis.tables.request import TableOf, TableRequest

MEASURES = {
    "overlap": gettext_noop("F1 by overlap"),
    "exact": gettext_noop("F1, exact"),
    "alpha": gettext_noop("α over tokens"),
}


def marked_agreement_table(asked: TableRequest) -> FigureTable | None:
    """Agreement on the marks of each aspect, of all labels and of each."""
    found = asked.section(SPANS)
    rows: list[Row] = []
    for each in found:
        for label in each.labels:
            for key, name in MEASURES.items():
                figure = getattr(label, key)
                row = {"aspect": each.title, "label": _called(label), "measure": _(name), **counts_of(figure)}
                row |= sided("raw", figure)
                row["undefined_because"] = figure.why_not if figure.value is None else ""  # else below, once for all
                rows.append(row)
    if not rows:
        return None
    return FigureTable(
        name="marked-agreement",
        title=_("Agreement on the words marked"),
        reading=" ".join(map(_reading, found)),
        columns=[
            Column("aspect", _("Aspect")),
            Column("label", _("Label")),
            Column("measure", _("Measure")),
            Column("raw", _("Agreement"), "value", True),
            Column("items", _("Texts"), "count"),
            Column("annotators", _("Annotators"), "count"),
            Column("judgments", _("Readings"), "count"),
            *([Column("undefined_because", _("Remark"))] if any(row["undefined_because"] for row in rows) else []),
        ],
        rows=rows,
        charts={
            "marked-agreement": _(
                "Agreement on marked words by label; lines are 95\u00a0% intervals. Of F1, 1 is the same marks and 0 "
                "none in common; of α, 0 is chance."
            )
        },
    )


def marked_labels_table(asked: TableRequest) -> FigureTable | None:
    """How often each label is used."""
    found = asked.section(SPANS)
    rows = [
        {"aspect": each.title, "label": _called(label), "spans": label.spans, "per_reading": label.per_reading.value}
        | with_interval("share", label.used.value, label.used.interval, label.used.why_not, units=label.used.units)
        for each in found
        for label in each.labels
        if label.used.value is not None
    ]
    if not rows:
        return None
    return FigureTable(
        name="marked-labels",
        title=_("What is marked"),
        reading=" ".join(_used(each) for each in found),
        columns=[
            Column("aspect", _("Aspect")),
            Column("label", _("Label")),
            Column("spans", _("Marks"), "count"),
            Column("per_reading", _("Marks for each text read"), "value"),
            Column("share", _("Texts read that have one"), "share", True),
        ],
        rows=rows,
        charts={
            "marked-labels": _(
                "Share of readings (one person, one text) in which the label is used; lines are 95\u00a0% intervals."
            )
        },
    )


def _called(label: MarkedLabel) -> str:
    return label.title if label.key else _("All labels")


def _whole(each: MarkedSpans) -> MarkedLabel:
    return each.labels[0]


def _figure(name: str, figure: Figure) -> str:
    if figure.value is None:
        return _("{figure} is not defined ({why})").format(figure=name, why=half_sentence(figure.why_not))
    return _("{figure} is {value}").format(figure=name, value=with_ends(figure.value, figure.interval, "value"))


def _reading(each: MarkedSpans) -> str:
    whole = _whole(each)
    both = [_figure(_("F1 of two people by overlap"), whole.overlap), _figure(_("α over tokens"), whole.alpha)]
    said = _("“{aspect}”: {words}.").format(aspect=each.title, words=with_commas(both))
    return " ".join(filter(None, [said, _sample(each)]))


def _used(each: MarkedSpans) -> str:
    whole = _whole(each)
    if whole.used.value is None:
        return _("“{aspect}”: {why}").format(aspect=each.title, why=why_in_language(whole.used.why_not))
    return _(
        "“{aspect}”: {spans:,} marks in {readings:,} readings of {texts:,} texts; {share} of the readings have one."
    ).format(
        aspect=each.title,
        spans=whole.spans,
        readings=each.readings,
        texts=each.texts,
        share=number(whole.used.value, "share"),
    )


def _sample(each: MarkedSpans) -> str:
    if (sample := each.sampled) is None:
        return ""
    said = _("A random sample of {n:,} of {of:,} texts (seed {seed}).")
    return said.format(n=sample.texts, of=sample.of, seed=sample.seed)


TABLES = {
    "marked-agreement": TableOf(("spans",), marked_agreement_table),
    "marked-labels": TableOf(("spans",), marked_labels_table),
}
