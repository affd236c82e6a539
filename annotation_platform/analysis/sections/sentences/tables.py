"""The sentences that judgments cite: agreement, how many, and how much of the documents."""

from collections.abc import Sequence

from annotation_platform.analysis.measuring.figures import Figure, Interval
from annotation_platform.analysis.sections.sentences.figures import SENTENCES, CitedSentences
from annotation_platform.analysis.tables.base import Column, FigureTable, Row, counts_of, number, sided, with_interval
from annotation_platform.analysis.tables.request import TableOf, TableRequest
from annotation_platform.core.text import ONE_GROUP

DISTANCES = {"masi": "MASI", "jaccard": "Jaccard"}


def cited_aspect(asked: TableRequest) -> CitedSentences | None:
    """The aspect that the address names (``cited``), or the first; None where no sentences are asked for."""
    found = asked.section(SENTENCES)
    wanted = asked.parameters.get("cited")
    return next((each for each in found if each.aspect == wanted), found[0] if found else None)


def cited_agreement_table(asked: TableRequest) -> FigureTable | None:
    """Krippendorff α of the sets of sentences, with both distances."""
    found = asked.section(SENTENCES)
    rows: list[Row] = []
    for each in found:
        for key, name in DISTANCES.items():
            alpha = each.alpha[key]
            row = {"aspect": each.title, "distance": name, **counts_of(alpha)} | sided("raw", alpha)
            row["undefined_because"] = " ".join(filter(None, [row["undefined_because"], _sample(each)]))
            rows.append(row)
    if not rows:
        return None
    return FigureTable(
        name="cited-agreement",
        title="Agreement on the sentences cited",
        reading=" ".join(map(_reading, found)),
        columns=[
            Column("aspect", "Aspect"),
            Column("distance", "Distance"),
            Column("raw", "Krippendorff α", "value", True),
            Column("items", "Items", "count"),
            Column("annotators", "Annotators", "count"),
            Column("judgments", "Judgments", "count"),
            Column("undefined_because", "Remark"),
        ],
        rows=rows,
        charts={
            "cited-agreement": "Dots are Krippendorff α of the sets, by two ways to measure how far two sets lie "
            "apart; lines are 95\u00a0% intervals, 0 is chance."
        },
    )


def cited_sizes_table(asked: TableRequest) -> FigureTable | None:
    """How many sentences a judgment cites."""
    if (each := cited_aspect(asked)) is None or each.cited.value is None:
        return None
    last = len(each.sizes) - 1
    names = [f"{size} or more" if size == last else str(size) for size in range(last + 1)]
    return FigureTable(
        name="cited-sizes",
        title="Sentences cited by a judgment",
        reading=f"{_figure('A judgment cites {} sentences on average', each.cited, 'value')}."
        f" {_figure('{} cite none', each.cites_none, 'share')}.",
        columns=[
            Column("sentences", "Sentences"),
            Column("judgments", "Judgments", "count"),
            Column("share", "Share", "share", True),
        ],
        rows=_bars(("sentences", names), ("judgments", each.sizes), each.size_intervals, each.cited.units),
        charts={"cited-sizes": "Judgments by the number of sentences that they cite; lines are 95\u00a0% intervals."},
        meta=_meta(asked),
    )


def cited_coverage_table(asked: TableRequest) -> FigureTable | None:
    """How much of the documents is ever cited."""
    if (each := cited_aspect(asked)) is None:
        return None
    coverage, documents = each.coverage, each.documents_by_coverage
    withheld = f" {each.withheld} more withhold their text." if each.withheld else ""
    if coverage.value is None:
        reading = f"Coverage is not defined: {coverage.undefined_because}"
    else:
        said = _figure("Of a document, {} of the sentences are cited by somebody", coverage, "share")
        reading = f"{said}, over {coverage.items:,} documents.{withheld}"
    names = ["none", *_tenths(len(documents) - 1)]
    return FigureTable(
        name="cited-coverage",
        title="Share of the document that is cited",
        reading=reading,
        columns=[
            Column("cited", "Sentences cited"),
            Column("documents", "Documents", "count"),
            Column("share", "Share", "share", True),
        ],
        rows=_bars(("cited", names), ("documents", documents), each.coverage_intervals, coverage.units),
        charts={
            "cited-coverage": "Documents by the share of their sentences that somebody cites; a range includes its "
            "upper end, not its lower. Lines are 95\u00a0% intervals."
        }
        if coverage.value is not None
        else {},
        meta=_meta(asked),
    )


def cited_places_table(asked: TableRequest) -> FigureTable | None:
    """Where in the documents citations stand, from their beginning to their end."""
    if (each := cited_aspect(asked)) is None or not (total := sum(each.citations_by_place)):
        return None
    places = each.citations_by_place
    names = _tenths(len(places))
    half = sum(places[: len(places) // 2]) / total
    return FigureTable(
        name="cited-places",
        title="Where in the document",
        reading=f"{number(half, 'share')} of {total:,} citations stand in the first half of their document.",
        columns=[
            Column("place", "Part of the document"),
            Column("citations", "Citations", "count"),
            Column("share", "Share", "share", True),
        ],
        rows=_bars(("place", names), ("citations", places), each.place_intervals, each.coverage.units),
        charts={
            "cited-places": "Share of all citations, from the beginning of the documents to their end; lines "
            "are 95\u00a0% intervals for other documents."
        },
        meta=_meta(asked),
    )


def _tenths(count: int) -> list[str]:
    return [f"{10 * tenth}–{10 * tenth + 10}\u00a0%" for tenth in range(count)]


def _bars(
    named: tuple[str, list[str]], counted: tuple[str, Sequence[int]], intervals: Sequence[Interval | None], units: int
) -> list[Row]:
    """A row for each name, with its count and its share of all."""
    (name, names), (count, counts) = named, counted
    total = max(sum(counts), 1)
    return [
        {name: of, count: n} | with_interval("share", n / total, interval, ONE_GROUP, units=units)
        for of, n, interval in zip(names, counts, intervals, strict=True)
    ]


def _meta(asked: TableRequest) -> Row:
    cited = asked.parameters.get("cited")
    return {"query": f"?cited={cited}"} if cited else {}


def _figure(words: str, figure: Figure, kind: str) -> str:
    said = words.format(number(figure.value, kind))
    if figure.interval:
        low, high = (number(end, kind) for end in figure.interval)
        said += f" [{low}, {high}]"
    return said


def _reading(each: CitedSentences) -> str:
    undefined = next((alpha for alpha in each.alpha.values() if alpha.value is None), None)
    if undefined is not None:
        return f"“{each.title}”: not defined. {' '.join(filter(None, [undefined.why_not, _sample(each)]))}"
    said = [f"{_figure('{}', each.alpha[key], 'value')} by {name}" for key, name in DISTANCES.items()]
    return f"“{each.title}”: α is {' and '.join(said)}."


def _sample(each: CitedSentences) -> str:
    if (sample := each.sampled) is None:
        return ""
    return f"A random sample of {sample.items:,} of {sample.of:,} items (seed {sample.seed})."


TABLES = {
    "cited-agreement": TableOf(("sentences",), cited_agreement_table),
    "cited-sizes": TableOf(("sentences",), cited_sizes_table),
    "cited-coverage": TableOf(("sentences",), cited_coverage_table),
    "cited-places": TableOf(("sentences",), cited_places_table),
}
