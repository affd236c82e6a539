"""The words that judgments mark: agreement by label, and how much is marked."""

from annotation_platform.analysis.measuring.figures import Figure
from annotation_platform.analysis.sections.spans.figures import SPANS, MarkedLabel, MarkedSpans
from annotation_platform.analysis.tables.base import Column, FigureTable, Row, counts_of, number, sided, with_interval
from annotation_platform.analysis.tables.request import TableOf, TableRequest

MEASURES = {"overlap": "F1 by overlap", "exact": "F1, exact", "alpha": "α over tokens"}


def marked_agreement_table(asked: TableRequest) -> FigureTable | None:
    """Agreement on the marks of each aspect, of all labels and of each."""
    found = asked.section(SPANS)
    rows: list[Row] = []
    for each in found:
        for label in each.labels:
            for key, name in MEASURES.items():
                figure = getattr(label, key)
                row = {"aspect": each.title, "label": label.title, "measure": name, **counts_of(figure)}
                row |= sided("raw", figure)
                row["undefined_because"] = figure.why_not if figure.value is None else ""  # else below, once for all
                rows.append(row)
    if not rows:
        return None
    return FigureTable(
        name="marked-agreement",
        title="Agreement on the words marked",
        reading=" ".join(map(_reading, found)),
        columns=[
            Column("aspect", "Aspect"),
            Column("label", "Label"),
            Column("measure", "Measure"),
            Column("raw", "Agreement", "value", True),
            Column("items", "Texts", "count"),
            Column("annotators", "Annotators", "count"),
            Column("judgments", "Readings", "count"),
            *([Column("undefined_because", "Remark")] if any(row["undefined_because"] for row in rows) else []),
        ],
        rows=rows,
        charts={
            "marked-agreement": "Agreement on marked words by label; lines are 95\u00a0% intervals. Of F1, 1 is "
            "the same marks and 0 none in common; of α, 0 is chance."
        },
    )


def marked_labels_table(asked: TableRequest) -> FigureTable | None:
    """How often each label is used."""
    found = asked.section(SPANS)
    rows = [
        {"aspect": each.title, "label": label.title, "spans": label.spans, "per_reading": label.per_reading.value}
        | with_interval("share", label.used.value, label.used.interval, label.used.why_not, units=label.used.units)
        for each in found
        for label in each.labels
        if label.used.value is not None
    ]
    if not rows:
        return None
    return FigureTable(
        name="marked-labels",
        title="What is marked",
        reading=" ".join(_used(each) for each in found),
        columns=[
            Column("aspect", "Aspect"),
            Column("label", "Label"),
            Column("spans", "Marks", "count"),
            Column("per_reading", "Marks for each text read", "value"),
            Column("share", "Texts read that have one", "share", True),
        ],
        rows=rows,
        charts={
            "marked-labels": "Share of readings (one person, one text) in which the label is used; lines are 95\u00a0% "
            "intervals."
        },
    )


def _whole(each: MarkedSpans) -> MarkedLabel:
    return each.labels[0]


def _figure(name: str, figure: Figure) -> str:
    if figure.value is None:
        return f"{name} is not defined ({figure.why_not.rstrip('.')})"
    said = f"{name} is {number(figure.value, 'value')}"
    if figure.interval:
        low, high = (number(end, "value") for end in figure.interval)
        said += f" [{low}, {high}]"
    return said


def _reading(each: MarkedSpans) -> str:
    whole = _whole(each)
    said = f"{_figure('F1 of two people by overlap', whole.overlap)}, {_figure('α over tokens', whole.alpha)}"
    return " ".join(filter(None, [f"“{each.title}”: {said}.", _sample(each)]))


def _used(each: MarkedSpans) -> str:
    whole = _whole(each)
    if whole.used.value is None:
        return f"“{each.title}”: {whole.used.why_not}"
    return (
        f"“{each.title}”: {whole.spans:,} marks in {each.readings:,} readings of {each.texts:,} texts; "
        f"{number(whole.used.value, 'share')} of the readings have one."
    )


def _sample(each: MarkedSpans) -> str:
    if (sample := each.sampled) is None:
        return ""
    return f"A random sample of {sample.texts:,} of {sample.of:,} texts (seed {sample.seed})."


TABLES = {
    "marked-agreement": TableOf(("spans",), marked_agreement_table),
    "marked-labels": TableOf(("spans",), marked_labels_table),
}
