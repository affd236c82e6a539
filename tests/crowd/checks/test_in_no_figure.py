"""Judgments of checks are in no figure, and in nothing that leaves a study."""

from pathlib import Path
from typing import Any

import pytest
from django.db import IntegrityError, models, transaction

from annotation_platform.analysis.explorer.indexing import index_items
from annotation_platform.analysis.models import AgreementSnapshot, ItemFigures
from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.annotations.models import Annotation, Rating, SentenceReference
from annotation_platform.releases.selectors.query import count_rows
from annotation_platform.scoring.models import Method, ScoringRun
from annotation_platform.scoring.selectors import run_judgments
from annotation_platform.studies.models import Candidate, Item, Study
from tests.analysis.study_rows import run_of, score
from tests.crowd.checks.pieces import slip_checks_in
from tests.factories import study_with_judgments
from tests.releases.rows import export, exported

pytestmark = pytest.mark.django_db


def known(study: Study, folder: Path) -> dict[str, Any]:
    """All that is measured, indexed and exported, computed anew."""
    AgreementSnapshot.objects.filter(study=study).delete()
    index_items(study=study)
    snapshot = take_snapshot(study=study, resamples=3)
    options: list[dict[str, Any]] = [{}, {"all_revisions": True}, {"all_batches": True}]
    return {
        "signature": snapshot.signature,
        "figures": snapshot.figures,
        "index": list(ItemFigures.objects.filter(study=study).order_by("item", "aspect").values()),
        "exports": [exported(study, folder, **each) for each in options],
        "csv": export(study, folder, "csv").read_bytes(),
        "counts": [count_rows(study, **each) for each in options],
        "ratings": Rating.objects.filter(annotation__item__study=study).count(),
        "cited": SentenceReference.objects.filter(annotation__item__study=study).count(),
        "items": study.items.count(),
        "candidates": study.candidates.count(),
    }


def test_every_section_and_export_is_the_same_with_checks_in_the_tasks(tmp_path: Path) -> None:
    study = study_with_judgments(annotators=3)
    score(study)
    run_of(study, Method.JUDGE)
    before = known(study, tmp_path)
    assert before["figures"]
    assert before["exports"][0]
    slip_checks_in(study)
    assert Annotation.given.filter(item__study=study, is_check=True).count() == 3 * study.batches.get().hits.count()
    after = known(study, tmp_path)
    for what, value in before.items():
        if what == "index":
            value, after[what] = ([{**row, "id": 0} for row in rows] for rows in (value, after[what]))
        assert after[what] == value, what


def test_scoring_leaves_checks_out() -> None:
    study = study_with_judgments(annotators=2)
    slip_checks_in(study)
    run = ScoringRun.objects.create(study=study, method=Method.EBR, scorer="recorded")
    run.batches.set(study.batches.all())
    assert run_judgments(run).count() == Annotation.objects.closed().filter(item__study=study).count()
    assert not run_judgments(run).filter(item__is_check=True).exists()


@pytest.mark.parametrize("is_check", [True, False])
def test_no_judgment_is_stored_with_a_mark_that_its_item_has_not(is_check: bool) -> None:
    study = study_with_judgments(annotators=2)
    slip_checks_in(study)
    judged = Annotation.given.filter(is_check=is_check).first()
    assert judged is not None
    wrong = Annotation.given.get(pk=judged.pk)
    wrong.pk, wrong.revision, wrong.is_current, wrong.submission_id = None, 7, False, None
    wrong.is_check = not is_check
    with pytest.raises(IntegrityError), transaction.atomic():
        wrong.save(force_insert=True)
    wrong.is_check = is_check
    wrong.save(force_insert=True)


@pytest.mark.parametrize("model", [Item, Candidate, Annotation])
def test_who_asks_without_thinking_gets_no_checks(model: type[models.Model]) -> None:
    slip_checks_in(study_with_judgments(annotators=2))
    assert model._default_manager.name == "objects"
    assert not model._default_manager.filter(is_check=True).exists()
    assert model._base_manager.filter(is_check=True).exists()
