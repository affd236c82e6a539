"""Scored studies for the tests of this folder: real judgments, and a run whose scores are chosen here."""

from collections.abc import Callable
from typing import Any

from django.test import Client
from django.utils import timezone

from annotation_platform.annotations.models import Annotation
from annotation_platform.scoring.models import Method, RunStatus, Score, Scorer, ScoringRun
from annotation_platform.studies.models import BatchState, Role, Study
from tests.factories import MemberFactory, study_with_judgments

NUMBERS = {"complete": 100, "missing_minor": 70, "missing_major": 30, "missing_all": 0}


def slightly_apart(annotation: Annotation) -> float:
    """A score near the label's number, drawn a little towards the answer's own quality."""
    number = NUMBERS[annotation.values["completeness"]]
    return round(0.8 * number + 2.5 * (annotation.item_id % 8), 1)


def score(study: Study, value: Callable[[Annotation], float] = slightly_apart, **fields: Any) -> ScoringRun:
    """A finished run over all closed judgments."""
    judged = list(Annotation.objects.closed().filter(item__study=study))
    run = ScoringRun.objects.create(
        study=study,
        method=Method.EBR,
        scorer=Scorer.DISTILLED,
        status=RunStatus.DONE,
        total=len(judged),
        done=len(judged),
        finished_at=timezone.now(),
        **fields,
    )
    run.batches.set(study.batches.filter(state__in=[BatchState.CLOSED, BatchState.SCORED]))
    Score.objects.bulk_create(
        Score(
            run=run,
            annotation=annotation,
            aspect="completeness",
            value=value(annotation),
            explanation_score=value(annotation),
            source=Score.Source.MODEL,
        )
        for annotation in judged
    )
    study.batches.filter(state=BatchState.CLOSED).update(state=BatchState.SCORED)
    return run


def client_of(study: Study, role: Role = Role.RESEARCHER) -> Client:
    """The browser of the study's researcher (or whoever), who joins when first asked for."""
    pseudonym = f"Our {role}"
    member = study.members.filter(pseudonym=pseudonym).first()
    member = member or MemberFactory(study=study, role=role, pseudonym=pseudonym)
    assert member.user is not None
    client = Client()
    client.force_login(member.user)
    return client


def scored_study(**settings: Any) -> Study:
    study = study_with_judgments(**settings)
    score(study)
    return study
