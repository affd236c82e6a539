"""The sentences that judgments cite: agreement, how many, and how much of the documents."""

from collections.abc import Iterator, Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation_platform.accounts.language import why_in_language
from annotation_platform.analysis.measuring.figures import Figure, Interval
from annotation_platform.analysis.sections.sentences.figures import SENTENCES, CitedSentences
from annotation_platform.analysis.sections.sentences.table_rows import AgreementRow, CoverageRow, PlaceRow, SizeRow
from annotation_platform.analysis.tables.base import Column, FigureTable, Row
from annotation_platform.analysis.tables.request import TableOf, TableRequest
from annotation_platform.analysis.tables.rows import Estimate, estimate_of, estimated
from annotation_platform.analysis.tables.words import in_a_row, number, with_commas, with_ends

DISTANCES = {"masi": "MASI", "jaccard": "Jaccard"}


def cited_aspect(asked: TableRequest) -> CitedSentences | None:
    """The aspect that the address names (``cited``), or the first; None where no sentences are asked for."""
    found = asked.section(SENTENCES)
    wanted = asked.parameters.get("cited")
    return next((each for each in found if each.aspect == wanted), found[0] if found else None)


def cited_agreement_table(asked: TableRequest) -> FigureTable | None:
    """Krippendorff α of the sets of sentences, with both distances."""
    found = asked.section(SENTENCES)
    rows = [_agreement_row(each, key, distance) for each in found for key, distance in DISTANCES.items()]
    if not rows:
        return None
    return FigureTable(
        name="cited-agreement",
        title=_("Agreement on the sentences cited"),
        reading=" ".join(map(_reading, found)),
        columns=[
            Column("aspect", _("Aspect")),
            Column("distance", _("Distance")),
            Column("raw", _("Krippendorff α"), "value", True),
            Column("items", _("Items"), "count"),
            Column("annotators", _("Annotators"), "count"),
            Column("judgments", _("Judgments"), "count"),
            Column("undefined_because", _("Remark")),
        ],
        rows=rows,
        charts={
            "cited-agreement": _(
                "Dots are Krippendorff α of the sets, by two ways to measure how far two sets lie apart; lines are "
                "95\u00a0% intervals, 0 is chance."
            )
        },
    )


def cited_sizes_table(asked: TableRequest) -> FigureTable | None:
    """How many sentences a judgment cites."""
    if (each := cited_aspect(asked)) is None or each.cited.value is None:
        return None
    last = len(each.sizes) - 1
    names = [_("{n} or more").format(n=size) if size == last else str(size) for size in range(last + 1)]
    return FigureTable(
        name="cited-sizes",
        title=_titled(asked, _("Sentences cited by a judgment"), each),
        reading=" ".join(
            [
                _("A judgment cites {n} sentences on average{ends}.").format(**_figure(each.cited, "value")),
                _("{n} cite none{ends}.").format(**_figure(each.cites_none, "share")),
            ]
        ),
        columns=[
            Column("sentences", _("Sentences")),
            Column("judgments", _("Judgments"), "count"),
            Column("share", _("Share"), "share", True),
        ],
        rows=[
            SizeRow(sentences=name, judgments=count, share=share)
            for name, count, share in _bars(
                names, each.sizes, each.size_intervals, each.no_size_intervals_because, each.cited.units
            )
        ],
        charts={
            "cited-sizes": _("Judgments by the number of sentences that they cite; lines are 95\u00a0% intervals.")
        },
        meta=_meta(asked),
    )


def cited_coverage_table(asked: TableRequest) -> FigureTable | None:
    """How much of the documents is ever cited."""
    if (each := cited_aspect(asked)) is None:
        return None
    coverage, documents = each.coverage, each.documents_by_coverage
    if coverage.value is None:
        reading = _("Coverage is not defined: {why}").format(why=why_in_language(coverage.undefined_because or ""))
    else:
        reading = ngettext(
            "Of the only document, {n} of the sentences are cited by somebody{ends}.",
            "Of a document, {n} of the sentences are cited by somebody{ends}, over {documents:,} documents.",
            coverage.items,
        ).format(documents=coverage.items, **_figure(coverage, "share"))
        if each.withheld:
            reading += " " + _("{n} more withhold their text.").format(n=each.withheld)
    names = [_("none"), *_tenths(len(documents) - 1)]
    return FigureTable(
        name="cited-coverage",
        title=_titled(asked, _("Share of the document that is cited"), each),
        reading=reading,
        columns=[
            Column("cited", _("Sentences cited")),
            Column("documents", _("Documents"), "count"),
            Column("share", _("Share"), "share", True),
        ],
        rows=[
            CoverageRow(cited=name, documents=count, share=share)
            for name, count, share in _bars(
                names, documents, each.coverage_intervals, each.no_coverage_intervals_because, coverage.units
            )
            if coverage.value is not None
        ],
        charts={
            "cited-coverage": _(
                "Documents by the share of their sentences that somebody cites; a range includes its upper end, not "
                "its lower. Lines are 95\u00a0% intervals."
            )
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
        title=_titled(asked, _("Where in the document"), each),
        reading=_("{share} of {total:,} citations stand in the first half of their document.").format(
            share=number(half, "share"), total=total
        ),
        columns=[
            Column("place", _("Part of the document")),
            Column("citations", _("Citations"), "count"),
            Column("share", _("Share"), "share", True),
        ],
        rows=[
            PlaceRow(place=name, citations=count, share=share)
            for name, count, share in _bars(
                names, places, each.place_intervals, each.no_place_intervals_because, each.coverage.units
            )
        ],
        charts={
            "cited-places": _(
                "Share of all citations, from the beginning of the documents to their end; lines are 95\u00a0% "
                "intervals for other documents."
            )
        },
        meta=_meta(asked),
    )


def _titled(asked: TableRequest, title: str, each: CitedSentences) -> str:
    """With the aspect's name where there are several."""
    several = len(asked.section(SENTENCES)) > 1
    return with_commas([title, *([_("“{name}”").format(name=each.title)] if several else [])])


def _agreement_row(each: CitedSentences, key: str, distance: str) -> AgreementRow:
    alpha = each.alpha[key]
    return AgreementRow(
        aspect=each.title,
        distance=distance,
        items=alpha.items,
        annotators=alpha.annotators,
        judgments=alpha.judgments,
        undefined_because=" ".join(filter(None, [why_in_language(alpha.why_not), _sample(each)])),
        raw=estimate_of(alpha),
    )


def _tenths(count: int) -> list[str]:
    return [f"{10 * tenth}–{10 * tenth + 10}\u00a0%" for tenth in range(count)]


def _bars(
    names: list[str], counts: Sequence[int], intervals: Sequence[Interval | None], why: str | None, units: int
) -> Iterator[tuple[str, int, Estimate]]:
    """Each name with its count and its share of all."""
    total = max(sum(counts), 1)
    for name, count, interval in zip(names, counts, intervals, strict=True):
        yield name, count, estimated(count / total, interval, why or "", units)


def _meta(asked: TableRequest) -> Row:
    cited = asked.parameters.get("cited")
    return {"query": f"?cited={cited}"} if cited else {}


def _figure(figure: Figure, kind: str) -> dict[str, str]:
    """A number and the ends of its interval, where it has one, for a sentence."""
    ends = f" [{', '.join(number(end, kind) for end in figure.interval)}]" if figure.interval else ""
    return {"n": number(figure.value, kind), "ends": ends}


def _reading(each: CitedSentences) -> str:
    undefined = next((alpha for alpha in each.alpha.values() if alpha.value is None), None)
    if undefined is not None:
        why = " ".join(filter(None, [why_in_language(undefined.why_not), _sample(each)]))
        return _("“{aspect}”: not defined. {why}").format(aspect=each.title, why=why)
    alphas = ((each.alpha[key], name) for key, name in DISTANCES.items())
    said = [
        _("{value} by {distance}").format(value=with_ends(alpha.value, alpha.interval, "value"), distance=name)
        for alpha, name in alphas
    ]
    return _("“{aspect}”: α is {values}.").format(aspect=each.title, values=in_a_row(said))


def _sample(each: CitedSentences) -> str:
    if (sample := each.sampled) is None:
        return ""
    said = _("A random sample of {n:,} of {of:,} items (seed {seed}).")
    return said.format(n=sample.items, of=sample.of, seed=sample.seed)


TABLES = {
    "cited-agreement": TableOf((SENTENCES.key,), cited_agreement_table, of_study=True),
    "cited-sizes": TableOf((SENTENCES.key,), cited_sizes_table, of_study=True),
    "cited-coverage": TableOf((SENTENCES.key,), cited_coverage_table, of_study=True),
    "cited-places": TableOf((SENTENCES.key,), cited_places_table, of_study=True),
}
