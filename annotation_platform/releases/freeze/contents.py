"""The files of a release: which there are, in their order, and what writes each of them."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import yaml
from django.db.models import Count, Max, Sum

from annotation_platform.analysis.models import AgreementSnapshot
from annotation_platform.annotations.models import Annotation
from annotation_platform.releases.freeze import adjudications, item_scores, marked, spoken, words
from annotation_platform.releases.freeze.adjudications import adjudication_rows, decided_in
from annotation_platform.releases.freeze.annotators import annotator_rows, names_of
from annotation_platform.releases.freeze.asked import PROMPTS, files_asked, write_prompts, write_replies
from annotation_platform.releases.freeze.facts import removed_from, without
from annotation_platform.releases.freeze.figures import figures_of
from annotation_platform.releases.models import ExportFormat, Release
from annotation_platform.releases.selectors.query import Disguise, ExportQuery, export_query
from annotation_platform.releases.services.formats import write_candidates, write_csv_and_parquet, write_rows
from annotation_platform.scoring.models import Score

Write = Callable[[BinaryIO], object]
DATA_FORMATS = (ExportFormat.CSV, ExportFormat.JSONL, ExportFormat.PARQUET)
VERIFY = Path(__file__).with_name("verify.py")


@dataclass(frozen=True)
class ReleaseFiles:
    """Files by their paths in the folder, mostly one, and what writes them all at once, each into its own."""

    paths: tuple[str, ...]
    write: Callable[..., object]


def one_file(path: str, write: Write) -> ReleaseFiles:
    return ReleaseFiles((path,), write)


def files_of(
    release: Release, snapshot: AgreementSnapshot, folder: Path, on_rows: Callable[[int], None]
) -> Iterator[ReleaseFiles]:
    """All files but ``croissant.json`` and the manifest; the words come last, and read those that are in the folder."""
    query, removed = query_of(release), removed_from(release)
    rows = ("data/judgments.csv", "data/judgments.parquet")
    yield ReleaseFiles(rows, partial(_csv_and_parquet, query, on_rows))
    yield one_file("data/judgments.jsonl", _lines(query, on_rows))
    for format in DATA_FORMATS:
        yield one_file(f"data/items.{format.suffix}", _items(query, format))
    yield one_file("data/annotators.csv", _text(lambda: annotator_rows(release, removed)))
    if item_scores.scores_of_items(release).exists():
        yield ReleaseFiles(item_scores.PATHS, partial(item_scores.write_item_scores, release, removed))
    if decided_in(release.study).exists():
        yield one_file(adjudications.PATH, _text(lambda: adjudication_rows(release, removed)))
    if marked.has_spans(release.study.scheme()):
        yield one_file(marked.PATH, _text(lambda: marked.span_rows(release, disguise_of(release))))
    if spoken.has_turns(release.study.scheme()):
        yield one_file(spoken.PATH, _text(lambda: spoken.turn_rows(release)))
    yield one_file("scheme.yaml", _text(lambda: _yaml(without(release.study.scheme_version.definition, removed))))
    figures = figures_of(snapshot, names_of(release), removed)
    yield one_file("figures.json", _text(partial(as_json, figures)))
    yield one_file("runs.json", _text(lambda: as_json(list(_runs(release)))))
    for path in files_asked(release):
        write = write_prompts if path == PROMPTS else write_replies
        yield one_file(path, partial(write, release, removed))
    yield one_file("verify.py", lambda file: file.write(VERIFY.read_bytes()))
    for path, text in words.texts_of(release, figures, query, folder).items():
        yield one_file(path, _text(partial(str, text)))


def query_of(release: Release) -> ExportQuery:
    return export_query(release.study, disguise=disguise_of(release), runs=release.facts["runs"])


def disguise_of(release: Release) -> Disguise:
    return Disguise(release.pk, release.pseudonym_key, removed_from(release))


def as_json(found: Any) -> str:
    return json.dumps(found, ensure_ascii=False, indent=1, sort_keys=True, allow_nan=False) + "\n"


def _csv_and_parquet(
    query: ExportQuery, on_rows: Callable[[int], None], csv_file: BinaryIO, parquet_file: BinaryIO
) -> None:
    def twice(rows: int) -> None:
        on_rows(2 * rows)

    write_csv_and_parquet(query=query, csv_file=csv_file, parquet_file=parquet_file, on_rows=twice)


def _lines(query: ExportQuery, on_rows: Callable[[int], None]) -> Write:
    return lambda file: write_rows(query=query, format=ExportFormat.JSONL, file=file, on_rows=on_rows)


def _items(query: ExportQuery, format: ExportFormat) -> Write:
    return lambda file: write_candidates(query=query, format=format, file=file)


def _text(text: Callable[[], str]) -> Write:
    return lambda file: file.write(text().encode())


def _yaml(definition: Any) -> str:
    return str(yaml.safe_dump(definition, allow_unicode=True, sort_keys=False))


def _runs(release: Release) -> Iterator[dict[str, Any]]:
    """The scoring runs behind the scores, with all that decided about their numbers."""
    for run in release.study.scoring_runs.filter(pk__in=release.facts["runs"]).order_by("pk"):
        yield {
            "run": run.pk,
            "method": run.method,
            "scorer": run.scorer,
            "parameters": {key: value for key, value in run.parameters.items() if key != "base_url"},
            "signature": run.signature,
            "code_version": run.code_version,
        }


def state_of_database(release: Release) -> dict[str, int]:
    """What tells whether the rows are still those that were frozen; cheap for a million judgments."""
    judgments = Annotation.objects.closed().filter(item__study=release.study)
    found = judgments.aggregate(judgments=Count("pk"), newest=Max("pk"), keys=Sum("pk"))
    scores = Score.objects.filter(run__in=release.facts["runs"]).aggregate(scores=Count("pk"), newest_score=Max("pk"))
    decided = decided_in(release.study).aggregate(decisions=Count("pk"), newest_decision=Max("decided_at"))
    newest = decided.pop("newest_decision")
    items = item_scores.scores_of_items(release).aggregate(scores_of_items=Count("pk"), newest_of_items=Max("pk"))
    found |= scores | items | (decided | {"newest_decision": newest.timestamp() * 1e6} if newest else {})
    return {key: int(value or 0) for key, value in found.items()}  # PostgreSQL sums to a decimal
