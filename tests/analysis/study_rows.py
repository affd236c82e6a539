"""Scored studies for the tests of this folder: real judgments, and a run whose scores are chosen here."""

from collections.abc import Callable, Iterator
from typing import Any
from uuid import uuid4

from django.test import Client
from django.utils import timezone

from annotation_platform.annotations.models import Annotation
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.scoring.models import Completion, ItemLabel, Method, Score, Scorer, ScoringRun
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
        status=JobStatus.DONE,
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


def reply_to(*read: Score | ItemLabel, **fields: Any) -> None:
    """Let each score or label be read from a reply of its own."""
    fields = {"request": {}, "reply": "Score: 70", "model": "birch-7b"} | fields
    for row in read:
        row.completion = Completion.objects.create(signature=uuid4().hex, **fields)
        row.save()


def client_of(study: Study, role: Role = Role.RESEARCHER) -> Client:
    """The browser of the study's researcher (or whoever), who joins when first asked for."""
    pseudonym = f"Our {role}"
    member = study.members.filter(pseudonym=pseudonym).first()
    member = member or MemberFactory(study=study, role=role, pseudonym=pseudonym)
    assert member.user is not None
    client = Client()
    client.force_login(member.user)
    return client


def run_of(study: Study, method: Method, counts: dict[str, Any] | None = None) -> ScoringRun:
    """A finished run of a model over the whole study."""
    run = ScoringRun.objects.create(
        study=study,
        method=method,
        scorer=Scorer.LANGUAGE_MODEL,
        status=JobStatus.DONE,
        parameters={"model": "tiny", "asking": {"format": "verbatim", "calling": "compound"}, "repetitions": 1},
        counts=counts or {},
        signature=f"of {method}",
        finished_at=timezone.now(),
    )
    run.batches.set(study.batches.all())
    return run


def scored_study(**settings: Any) -> Study:
    study = study_with_judgments(**settings)
    score(study)
    return study


def assert_hovering_tells_the_interval(spec: dict[str, Any]) -> None:
    """Every mark of a chart that can be hovered over tells an interval, whose ends are among the rows drawn."""
    told = list(_tooltips(spec))
    assert told, "nothing can be hovered over"
    for tooltip in told:
        fields = [each["field"] for each in tooltip]
        ends = [field for field in fields if field.removesuffix("low").removesuffix("high") != field]
        assert len(ends) >= 2 or fields == ["name", "draw"], fields
        assert any(set(ends) <= set(row) for rows in rows_drawn(spec) for row in rows), ends


def _tooltips(spec: dict[str, Any]) -> Iterator[list[dict[str, Any]]]:
    if tooltip := spec.get("encoding", {}).get("tooltip"):
        yield tooltip
    for part in [*spec.get("layer", []), *([spec["spec"]] if "spec" in spec else [])]:
        yield from _tooltips(part)


def rows_drawn(spec: dict[str, Any]) -> Iterator[list[dict[str, Any]]]:
    yield from spec.get("datasets", {}).values()
    if values := spec.get("data", {}).get("values"):
        yield values
    for part in [*spec.get("layer", []), *([spec["spec"]] if "spec" in spec else [])]:
        yield from rows_drawn(part)
