"""A study so small that a run over it takes no time, and runs over it."""

import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.utils import timezone

from annotation_platform.annotations.models import Annotation
from annotation_platform.jobs.contract import claim, execute
from annotation_platform.scoring import services
from annotation_platform.scoring.models import RecordedReply, ScoringRun
from annotation_platform.scoring.services import RUNS
from annotation_platform.studies.models import Study
from tests.factories import OPERATOR, make_corpus, study_with_judgments


def small_study(questions: int = 2, **settings: Any) -> Study:
    """Two annotators, two items of each question, all judged and closed."""
    corpus = make_corpus(questions=questions, systems=("alder", "birch"))
    return study_with_judgments(annotators=2, corpus=corpus, **{"close": True, **settings})


def score(study: Study, scorer: str | None = None, **parameters: Any) -> ScoringRun:
    run = services.start_run(study=study, scorer=scorer, parameters=parameters, actor=OPERATOR)
    claimed = claim(RUNS, run.pk)
    assert claimed is not None
    return execute(RUNS, claimed)


def everything_is_scored_once(run: ScoringRun) -> bool:
    scored = sorted(run.scores.values_list("annotation_id", flat=True))
    closed = Annotation.objects.closed().filter(item__study=run.study)
    return scored == sorted(closed.values_list("pk", flat=True))


def record(study: Study, reply: Callable[[Annotation], str]) -> None:
    RecordedReply.objects.bulk_create(
        RecordedReply(annotation=a, aspect="completeness", reply=reply(a), model="m")
        for a in Annotation.objects.filter(item__study=study)
    )


def make_stale(run: ScoringRun) -> None:
    ScoringRun.objects.filter(pk=run.pk).update(heartbeat_at=timezone.now() - timedelta(minutes=5))


def wait_until(holds: Callable[[], bool]) -> None:
    """For as long as it takes on a busy machine."""
    deadline = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)
