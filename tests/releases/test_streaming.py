"""Memory does not grow with the rows of an export, and the worker's page service does all of them."""

import gc
import tracemalloc
from pathlib import Path
from threading import Thread
from typing import NamedTuple

import pyarrow.parquet
import pytest
from django.db import connection
from django.db.models import F

from annotation_platform.annotations.models import Annotation
from annotation_platform.releases.selectors.query import export_query
from annotation_platform.releases.services import blocks, formats
from annotation_platform.studies.models import Assignment, BatchState, Study
from benchmarks.synthetic_judgments import JUDGMENTS_PER_BATCH, fill_study
from tests.releases import rows

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "HITS_AT_ONCE", 4)  # 100 judgments
    monkeypatch.setattr(formats, "ROWS_PER_ROW_GROUP", 500)


def leave_one_batch(study: Study) -> None:
    study.batches.exclude(number=1).update(state=BatchState.DRAFT)


# Between what noise adds (0.1 MB, at times 0.4 MB where threads overlap) and what 7,500 more rows take when they are
# kept (at least 3.7 MB, in Python or in Arrow, whichever holds them).
MORE_BYTES = 1_200_000


@pytest.mark.long("annotation_platform/releases/**/*.py", "benchmarks/synthetic_judgments.py")
@pytest.mark.parametrize("format", ["csv", "spreadsheet", "jsonl", "parquet"])
def test_four_times_the_rows_need_no_more_memory(format: str, tmp_path: Path) -> None:
    study = fill_study(judgments=4 * JUDGMENTS_PER_BATCH)
    rows.export(study, tmp_path, format)  # what is imported and cached on first use
    whole = highest_memory(study, tmp_path, format)
    leave_one_batch(study)
    quarter = highest_memory(study, tmp_path, format)
    assert whole.in_python < quarter.in_python + MORE_BYTES < 20_000_000
    assert whole.in_arrow < quarter.in_arrow + MORE_BYTES


class Memory(NamedTuple):
    in_python: int
    in_arrow: int  # which Python's own count does not see


def highest_memory(study: Study, folder: Path, format: str) -> Memory:
    """The lower of two exports' peaks: how far its threads run ahead of each other is chance."""
    peaks = [_peaks_of_an_export(study, folder, format) for _ in range(2)]
    return Memory(*map(min, zip(*peaks, strict=True)))


def _peaks_of_an_export(study: Study, folder: Path, format: str) -> Memory:
    gc.collect()
    before = pyarrow.total_allocated_bytes()
    in_arrow = [before]
    tracemalloc.start()
    try:
        rows.export(study, folder, format, on_rows=lambda _: in_arrow.append(pyarrow.total_allocated_bytes()))
        return Memory(tracemalloc.get_traced_memory()[1], max(in_arrow) - before)
    finally:
        tracemalloc.stop()


def test_parquet_is_written_in_row_groups(tmp_path: Path) -> None:
    study = fill_study(judgments=JUDGMENTS_PER_BATCH)
    file = pyarrow.parquet.ParquetFile(rows.export(study, tmp_path, "parquet"))
    assert [file.metadata.row_group(number).num_rows for number in range(file.num_row_groups)] == [500] * 5
    with (tmp_path / "items.parquet").open("wb") as items:  # one for each block would be slow to read
        formats.write_candidates(query=export_query(study), format="parquet", file=items)
    groups = pyarrow.parquet.read_metadata(tmp_path / "items.parquet")
    assert (groups.num_rows, groups.num_row_groups) == (500, 1)


def test_rows_come_by_batch_item_and_place(tmp_path: Path) -> None:
    study = fill_study(judgments=2 * JUDGMENTS_PER_BATCH)
    Assignment.objects.update(place=F("place") * 7 % 36)  # 7, 14, 21, 28, 35: as numbers, not as texts
    Assignment.objects.filter(place=35).update(place=6)
    found = rows.exported(study, tmp_path)
    assert len(found) == 2 * JUDGMENTS_PER_BATCH
    assert [row["item_id"] for row in found] == sorted(row["item_id"] for row in found)
    assert len({(row["item_id"], row["annotator"]) for row in found}) == len(found)
    places = dict(Annotation.objects.values_list("pk", "assignment__place"))
    assert [places[row["annotation_id"]] for row in found] == [6, 7, 14, 21, 28] * (len(found) // 5)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_what_changes_meanwhile_is_not_in_the_file_nor_kept_waiting(format: str, tmp_path: Path) -> None:
    study = fill_study(judgments=JUDGMENTS_PER_BATCH)
    calm = rows.export(study, tmp_path, format).read_bytes()
    last = Annotation.objects.filter(item__study=study).latest("pk")
    threads: list[Thread] = []

    def withdraw_it() -> None:
        Annotation.objects.filter(pk=last.pk).update(is_current=False)
        connection.close()

    def meanwhile(_: int) -> None:  # in a thread, which has a connection of its own: that of the export is busy
        if not threads:
            threads.append(Thread(target=withdraw_it))
            threads[0].start()
            threads[0].join()

    changed_meanwhile = rows.export(study, tmp_path, format, on_rows=meanwhile).read_bytes()
    assert not Annotation.objects.get(pk=last.pk).is_current
    assert changed_meanwhile == calm
    assert rows.export(study, tmp_path, format).read_bytes() != calm
