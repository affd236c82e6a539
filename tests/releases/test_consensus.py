"""The export of consensus labels: a row for each item and aspect, the same each time, and why there are none."""

import csv
import hashlib
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation_platform.annotations.models import Rating
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.jobs.contract import run_job
from annotation_platform.releases.services import EXPORTS, request_export, write_export
from annotation_platform.releases.services.consensus import COLUMNS
from annotation_platform.studies.models import Item, Member, Role, Study
from tests.factories import LABELS, OPERATOR, MemberFactory, make_corpus, study_with_judgments
from tests.some import some

pytestmark = pytest.mark.django_db


def opinion(member: Member, item: Item) -> dict[str, str]:
    off = (member.pk * 7 + item.pk * 3) % 5 == 0
    return {"completeness": LABELS[(item.pk + off) % 4]}


def several(annotators: int = 4) -> Study:
    return study_with_judgments(annotators=annotators, corpus=make_corpus(articles=3), values=opinion)


def rows_of(study: Study, path: Path) -> list[dict[str, str]]:
    written = write_export(study=study, format="consensus", path=path)
    data = path.read_bytes()
    assert (written.size, written.sha256) == (len(data), hashlib.sha256(data).hexdigest())
    return list(csv.DictReader(data.decode().splitlines()))


def test_every_judged_item_has_a_row_with_its_labels(tmp_path: Path) -> None:
    study = several()
    rows = rows_of(study, tmp_path / "labels.csv")
    assert list(rows[0]) == [column.name for column in COLUMNS]
    aspects = {row["aspect"] for row in rows}
    assert len(rows) == len(aspects) * Item.objects.filter(study=study).count()
    for row in rows:
        given = Rating.objects.filter(annotation__item=row["item_id"], aspect=row["aspect"])
        labels = list(given.values_list("choice", flat=True))
        assert int(row["judgments"]) == len(labels)
        most = max(map(labels.count, labels))
        winners = {label for label in labels if labels.count(label) == most}
        assert row["majority"] == (winners.pop() if len(winners) == 1 else "")
        if row["majority"]:
            assert float(row["majority_share"]) == pytest.approx(most / len(labels), abs=1e-6)
        if row["aspect"] == "completeness":
            assert {row["dawid_skene"], row["mace"]} <= set(LABELS)
            assert 0 < float(row["mace_posterior"]) <= 1
    assert rows_of(study, tmp_path / "again.csv") == rows


def test_two_people_leave_the_majority_and_the_reason(tmp_path: Path) -> None:
    for row in some(rows_of(several(2), tmp_path / "labels.csv")):
        assert (row["dawid_skene"], row["mace"], row["mace_posterior"]) == ("", "", "")
        assert "by two annotators" in row["undefined_because"]


def test_the_worker_makes_it_from_the_page(tmp_path: Path, settings: Any) -> None:
    settings.EXPORTS_DIR = tmp_path / "exports"
    study = several()
    admin = MemberFactory(study=study, role=Role.ADMIN)
    asked = request_export(study=study, requested_by=admin, format="consensus", actor=OPERATOR)
    export = run_job(EXPORTS, asked.pk)
    assert export.filename.endswith("-consensus.csv")
    rows = list(csv.DictReader(export.path.read_text().splitlines()))
    assert export.done == export.total == len(rows) > 0


def test_only_current_judgments_of_closed_batches_count(tmp_path: Path) -> None:
    study = several()
    path = tmp_path / "labels.csv"
    for which in ("all_batches", "all_revisions"):
        with pytest.raises(InvalidInputError, match="current judgments of closed batches"):
            write_export(study=study, format="consensus", path=path, **{which: True})
        with pytest.raises(CommandError, match="current judgments of closed batches"):
            call_command("export_study", study.name, format="consensus", output=path, **{which: True})
    admin = MemberFactory(study=study, role=Role.ADMIN)
    with pytest.raises(InvalidInputError, match="current judgments of closed batches"):
        request_export(study=study, requested_by=admin, format="consensus", all_revisions=True, actor=OPERATOR)
    assert not path.exists()
