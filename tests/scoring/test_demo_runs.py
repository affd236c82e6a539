"""What the demo computes beforehand: agreement everywhere, answer equivalence where there are reference answers, and
REV by an evaluator that was recorded."""

from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from annotation_platform.analysis.sections.rev.figures import REV as REV_FIGURES
from annotation_platform.analysis.sections.rev.tables import cautions
from annotation_platform.analysis.snapshots.stored import latest_snapshot, sections_of
from annotation_platform.demo.management.commands import prepare_demo
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.scoring.models import Method
from annotation_platform.studies.models import Study

pytestmark = pytest.mark.django_db


@pytest.fixture
def samples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two of the samples; the others are imported alike."""
    for name in ("equivalence.yaml", "rev.yaml"):
        (tmp_path / name).write_text((prepare_demo.SAMPLES / name).read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.setattr(prepare_demo, "SAMPLES", tmp_path)


def test_the_sample_with_reference_answers_has_its_verdicts_beside_people(
    samples: None, settings: Any, tmp_path: Path
) -> None:
    settings.DATA_DIR = tmp_path / "data"
    command = prepare_demo.Command(stdout=StringIO(), stderr=StringIO())
    users = {role: command._user(role) for role in prepare_demo.DEMO_ROLES}
    for sample in sorted(prepare_demo.SAMPLES.glob("*.yaml")):
        command._prepare(sample, users)

    done = {
        study.scheme_version.key: set(study.scoring_runs.filter(status=JobStatus.DONE).values_list("method", flat=True))
        for study in Study.objects.select_related("scheme_version")
    }
    assert done == {"equivalence": {Method.EQUIVALENCE}, "rev": {Method.REV}}  # neither scheme rescales anything
    snapshot = latest_snapshot(Study.objects.get(scheme_version__key="equivalence"))
    assert snapshot is not None
    found = sections_of(snapshot, {"equivalence"})["equivalence"]
    assert found["answers"] >= 12
    assert found["ways"][0]["accuracy"]["value"] > 0.5


def test_the_sample_of_rationales_shows_what_rev_is_for(samples: None, settings: Any, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path / "data"
    command = prepare_demo.Command(stdout=StringIO(), stderr=StringIO())
    users = {role: command._user(role) for role in prepare_demo.DEMO_ROLES}
    command._prepare(prepare_demo.SAMPLES / "rev.yaml", users)

    study = Study.objects.get()
    snapshot = latest_snapshot(study)
    assert snapshot is not None
    found = sections_of(snapshot, {"rev"})["rev"]
    kinds = {kind["kind"]: kind for kind in found["kinds"]}
    assert found["kinds"][0]["kind"] == "written"
    assert kinds["written"]["rev"]["interval"][0] > 0
    low, high = kinds["restated"]["rev"]["interval"]
    assert low < 0 < high
    (first,) = [step for step in found["steps"] if step["kinds"] == ["written", "restated"]]
    assert first["value"] > 0  # of so few articles, not for certain
    assert first["interval"][0] < first["value"] < first["interval"][1]
    assert found["with_people"]["value"] > 0
    assert kinds["written"]["rq"]["value"] is not None
    assert cautions(REV_FIGURES.from_stored(found)) == []
