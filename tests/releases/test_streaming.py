"""Memory does not grow with the rows of an export, and the worker's page service does all of them."""

import tracemalloc
from pathlib import Path

import pyarrow.parquet
import pytest

from annotation_platform.releases.services import blocks, formats
from annotation_platform.studies.models import BatchState, Study
from benchmarks.synthetic_judgments import JUDGMENTS_PER_BATCH, fill_study
from tests.releases import rows

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "ROWS_PER_BLOCK", 100)
    monkeypatch.setattr(formats, "BLOCKS_PER_ROW_GROUP", 5)


def leave_one_batch(study: Study) -> None:
    study.batches.exclude(number=1).update(state=BatchState.DRAFT)


@pytest.mark.parametrize("format", ["csv", "spreadsheet", "jsonl", "parquet"])
def test_four_times_the_rows_need_no_more_memory(format: str, tmp_path: Path) -> None:
    study = fill_study(judgments=4 * JUDGMENTS_PER_BATCH)

    def peak() -> int:
        tracemalloc.start()
        rows.export(study, tmp_path, format)
        _, highest = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return highest

    rows.export(study, tmp_path, format)  # what is imported and cached on first use
    whole = peak()
    leave_one_batch(study)
    assert whole < 1.2 * peak() < 20_000_000


def test_parquet_is_written_in_row_groups(tmp_path: Path) -> None:
    study = fill_study(judgments=JUDGMENTS_PER_BATCH)
    file = pyarrow.parquet.ParquetFile(rows.export(study, tmp_path, "parquet"))
    assert [file.metadata.row_group(number).num_rows for number in range(file.num_row_groups)] == [500] * 5


def test_rows_come_by_batch_item_and_place(tmp_path: Path) -> None:
    study = fill_study(judgments=2 * JUDGMENTS_PER_BATCH)
    found = rows.exported(study, tmp_path)
    assert len(found) == 2 * JUDGMENTS_PER_BATCH
    assert [row["item_id"] for row in found] == sorted(row["item_id"] for row in found)
    assert len({(row["item_id"], row["annotator"]) for row in found}) == len(found)
