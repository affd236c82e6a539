"""The archive for a paper: each figure as SVG, PNG and PDF, each table as CSV and LaTeX, captions, and a README."""

import json
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from django.utils.translation import gettext as _

from annotation_platform.analysis import charts
from annotation_platform.analysis.measuring.figures import AspectHead, Counts, HowIntervals
from annotation_platform.analysis.models import AgreementSnapshot
from annotation_platform.analysis.paper import latex
from annotation_platform.analysis.paper.choices import choices_of
from annotation_platform.analysis.paper.provenance import PROVENANCE, sections_of
from annotation_platform.analysis.paper.readme import readme, whole_document
from annotation_platform.analysis.sections.agreement.figures import COUNTS
from annotation_platform.analysis.snapshots.stored import section_by_aspect
from annotation_platform.analysis.tables import registry as tables
from annotation_platform.analysis.tables.base import FigureTable
from annotation_platform.analysis.tables.words import with_commas
from annotation_platform.core.text import batches_in_words, counted
from annotation_platform.studies.models import Study

MOST_ROWS_TYPESET = 500  # longer tables are there as CSV only
FLOATS_AT_ONCE = 15  # older LaTeX holds 18 that no page has taken yet, newer 52


@dataclass(frozen=True)
class Entry:
    """One figure of the bundle; ``stem`` is its place in the archive without folder and ending, ``aspect`` what it is
    about, None where that is the study as a whole."""

    stem: str
    table: FigureTable
    aspect: AspectHead | None

    @property
    def title(self) -> str:
        """As captions begin: a study has figures of one title for each aspect."""
        about = [_("“{name}”").format(name=self.aspect.title)] if self.aspect else []
        return with_commas([self.table.title, *about])

    @property
    def label(self) -> str:
        return self.stem.replace("/", ":").replace("_", "-")


def entries(snapshot: AgreementSnapshot) -> list[Entry]:
    """Every table of the snapshot that has something to show, for each aspect and each choice of its page.

    One that is about the study as a whole is there once.
    """
    found: dict[tuple[str, str, str], Entry] = {}
    for aspect in snapshot.head.aspects:
        for name, of in tables.TABLES.items():
            about = None if of.of_study else aspect
            for suffix, parameters in choices_of(snapshot, aspect.aspect, name):
                asked = tables.ask(snapshot, aspect.aspect, [name], parameters)
                for table in tables.tables_of(asked, [name]).values():
                    stem = f"{aspect.aspect}/{name}{suffix}"
                    same = about.aspect if about else "", name, f"{table.title}\n{table.csv()}"
                    found.setdefault(same, Entry(stem, table, about))
    return list(found.values())


def write_bundle(
    *, study: Study, snapshot: AgreementSnapshot, file: BinaryIO, on_chart: Callable[[int], None] = lambda charts: None
) -> None:
    """Write the archive; ``on_chart`` hears of each chart.

    The same snapshot gives the same tables and texts, but for what the plan costs by the pay of the day; pictures
    differ in names inside that the drawing library makes up anew each time.
    """
    sections = sections_of(snapshot)  # before they are read: some are added while it is written
    found = entries(snapshot)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in _texts(study, snapshot, sections, found):
            _add(archive, snapshot, path, content.encode())
        for entry in found:
            _add(archive, snapshot, f"tables/{entry.stem}.csv", entry.table.csv().encode())
            for name in entry.table.charts:
                for kind, drawing in charts.pictures(charts.chart_spec(entry.table, name)).items():
                    _add(archive, snapshot, f"figures/{_picture(entry, name)}.{kind}", drawing)
                on_chart(1)


def count_charts(snapshot: AgreementSnapshot) -> int:
    return sum(len(entry.table.charts) for entry in entries(snapshot))


def _texts(
    study: Study, snapshot: AgreementSnapshot, sections: list[str], found: list[Entry]
) -> Iterator[tuple[str, str]]:
    """The README, where the figures come from, and all that LaTeX reads."""
    provenance = snapshot.head.model_dump(
        mode="json", exclude_unset=True, include={"scheme", "batches", "data", "run", "intervals", "counts"}
    )
    provenance |= {
        "study": study.name,
        "signature": snapshot.signature,
        "data_signature": snapshot.data_signature,
        "code_version": snapshot.code_version,
        "computed_at": snapshot.created_at.isoformat(),
        "sections": sections,
    }
    counts = section_by_aspect(snapshot, COUNTS)
    captions: list[tuple[str, str]] = []
    pictures, inputs = [], []
    for entry in found:
        beside = [entry.table.speaks_for, *entry.table.all_cautions]
        source = caption_source(
            study,
            snapshot,
            counts.get(entry.aspect.aspect if entry.aspect else "", snapshot.head.counts),
            intervals=intervals_of(entry, snapshot.head.intervals),
        )
        caption = _sentences(entry.title, entry.table.reading, *beside, *entry.table.without_interval, source)
        captions.append((f"tables/{entry.stem}", caption))
        if entry.table.rows and len(entry.table.rows) <= MOST_ROWS_TYPESET:
            text = latex.table(entry.table, caption=caption, label=f"tab:{entry.label}")
            yield f"tables/{entry.stem}.tex", text
            inputs.append(rf"\input{{tables/{entry.stem}.tex}}")
        for name, words in entry.table.charts.items():
            path = f"figures/{_picture(entry, name)}"
            # What is said of a table with several charts need not be about this one.
            reading = entry.table.reading if len(entry.table.charts) == 1 else ""
            caption = _sentences(entry.title, words, reading, *beside, source)
            captions.append((path, caption))
            label = f"fig:{_picture(entry, name).replace('/', ':').replace('_', '-')}"
            pictures.append(latex.picture(f"{path}.pdf", caption=caption, label=label))
    yield "figures.tex", "\n".join([*_on_pages(pictures), ""])
    yield "tables.tex", "\n".join([*_on_pages(inputs), ""])
    yield "all.tex", whole_document(study, snapshot)
    yield PROVENANCE, json.dumps(provenance, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
    yield "README.md", readme(study, snapshot, captions)


def _on_pages(floats: list[str]) -> Iterator[str]:
    """With a page's end after every few: with nothing but floats LaTeX ends none, and stops when it has too many."""
    for place, each in enumerate(floats):
        if place and place % FLOATS_AT_ONCE == 0:
            yield r"\clearpage"
        yield each


def _sentences(*texts: str) -> str:
    """One after the other, each with a stop."""
    return " ".join(text if text[-1] in ".!?" else f"{text}." for text in texts if text)


def intervals_of(entry: Entry, how: HowIntervals) -> str:
    """How the table's intervals came about; nothing where it has none."""
    table = entry.table
    if not any(key.endswith("_low") and value is not None for row in table.cells for key, value in row.items()):
        return ""
    unit = table.unit or (entry.aspect and entry.aspect.unit)
    units = f"{unit}s" if unit else how.resampled
    if table.are_wide:
        return how.for_others(units)
    fewer = entry.aspect.resamples_of_pairs if entry.aspect else how.resamples
    return how.drawing(units, of_pairs=fewer if fewer < how.resamples else None)


def caption_source(study: Study, snapshot: AgreementSnapshot, counts: Counts, *, intervals: str) -> str:
    """The sentences of a caption that name the data of an aspect or of the study, intervals and signature."""
    data = (
        f"Data: {study.name} (scheme {snapshot.head.scheme}, {batches_in_words(snapshot.head.batches)}),"
        f" {counted(counts.judgments, 'judgment')} of {counted(counts.items, 'item')} by"
        f" {counted(counts.annotators, 'annotator')}"
    )
    return _sentences(data, intervals, f"Signature {snapshot.signature[:16]}")


def _picture(entry: Entry, chart: str) -> str:
    """A chart's place: its own name in the place of its table's, so that a table's several charts have several."""
    folder, _, stem = entry.stem.partition("/")
    return f"{folder}/{chart}{stem.removeprefix(entry.table.name)}"


def _add(archive: zipfile.ZipFile, snapshot: AgreementSnapshot, path: str, content: bytes) -> None:
    when = snapshot.created_at
    info = zipfile.ZipInfo(path, (when.year, when.month, when.day, when.hour, when.minute, when.second))
    info.compress_type = zipfile.ZIP_STORED if path.endswith((".png", ".pdf")) else zipfile.ZIP_DEFLATED
    info.external_attr = 0o644 << 16
    archive.writestr(info, content)
