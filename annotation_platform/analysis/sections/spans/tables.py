"""The words that judgments mark: agreement by label, and how much is marked."""

from collections.abc import Callable

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotation_platform.accounts.language import why_in_language
from annotation_platform.analysis.measuring.figures import CountedFigure, Figure
from annotation_platform.analysis.sections.spans.figures import SPANS, MarkedLabel, MarkedSpans
from annotation_platform.analysis.sections.spans.table_rows import AgreementRow, LabelRow
from annotation_platform.analysis.tables.base import Column, FigureTable
from annotation_platform.analysis.tables.request import TableOf, TableRequest
from annotation_platform.analysis.tables.rows import estimate_of
from annotation_platform.analysis.tables.words import half_sentence, number, with_commas, with_ends

MEASURES: dict[str, Callable[[MarkedLabel], CountedFigure]] = {
    gettext_noop("F1 by overlap"): lambda label: label.overlap,
    gettext_noop("F1, exact"): lambda label: label.exact,
    gettext_noop("α over tokens"): lambda label: label.alpha,
}


def marked_agreement_table(asked: TableRequest) -> FigureTable | None:
    """Agreement on the marks of each aspect, of all labels and of each."""
    found = asked.section(SPANS)
    rows = [
        _agreement_row(each, label, _(name), of(label))
        for each in found
        for label in each.labels
        for name, of in MEASURES.items()
    ]
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
            *([Column("undefined_because", _("Remark"))] if any(row.undefined_because for row in rows) else []),
        ],
        rows=rows,
        charts={
            "marked-agreement": _(
                "Agreement on marked words by label; lines are 95\u00a0% intervals. F1 counts words (by overlap) "
                "or whole marks (exact): 1 is the same, 0 none in common; of α, 0 is chance."
            )
        },
    )


def marked_labels_table(asked: TableRequest) -> FigureTable | None:
    """How often each label is used."""
    found = asked.section(SPANS)
    rows = [
        LabelRow(
            aspect=each.title,
            label=_called(label) if label.key else _("Any label"),
            spans=label.spans,
            per_reading=label.per_reading.value,
            share=estimate_of(label.used),
        )
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


def _agreement_row(each: MarkedSpans, label: MarkedLabel, measure: str, figure: CountedFigure) -> AgreementRow:
    """Why an interval is not there stands below the table, once for all."""
    return AgreementRow(
        aspect=each.title,
        label=_called(label),
        measure=measure,
        items=figure.items,
        annotators=figure.annotators,
        judgments=figure.judgments,
        undefined_because=figure.why_not if figure.value is None else "",
        raw=estimate_of(figure),
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
    "marked-agreement": TableOf((SPANS.key,), marked_agreement_table, of_study=True),
    "marked-labels": TableOf((SPANS.key,), marked_labels_table, of_study=True),
}
