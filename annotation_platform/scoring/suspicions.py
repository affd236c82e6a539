"""Flags for people: texts that a run showed to a model and that seem to be written for the model."""

from collections.abc import Iterator
from itertools import islice

from django.db import transaction

from annotation_platform.core.methods.injection import suspicions
from annotation_platform.scoring.heartbeat import Heartbeat
from annotation_platform.scoring.models import Method, ScoringRun, SuspiciousPassage
from annotation_platform.scoring.selectors import read_judgments
from annotation_platform.studies.models import Candidate

AT_ONCE = 500
LONGEST_PASSAGE = 500


def flag_suspicious(*, run: ScoringRun, heartbeat: Heartbeat) -> int:
    """Store what gives orders to the model in the texts that this run shows it; return how many passages.

    Rescaling shows what annotators wrote; the other methods show the answers. Flags change no score. A run that is
    repeated finds the same, and what a person has dismissed in it stays so.
    """
    found = _in_explanations(run) if run.method == Method.EBR else _in_answers(run)
    if run.suspicious_passages.exists():
        return run.suspicious_passages.count()
    count = 0
    with transaction.atomic():
        while block := list(islice(found, AT_ONCE)):
            SuspiciousPassage.objects.bulk_create(block)
            count += len(block)
    heartbeat.beat()
    return count


def _in_explanations(run: ScoringRun) -> Iterator[SuspiciousPassage]:
    keys = {rescaling.explained_by for rescaling in run.study.scheme().rescale}
    for pk, item_id, values in read_judgments(run, "item_id", "values"):
        for text in (str(values.get(key) or "") for key in keys):
            for suspicion in suspicions(text):
                yield SuspiciousPassage(
                    run=run,
                    item_id=item_id,
                    annotation_id=pk,
                    sign=suspicion.sign,
                    passage=suspicion.passage[:LONGEST_PASSAGE],
                )


def _in_answers(run: ScoringRun) -> Iterator[SuspiciousPassage]:
    answers = Candidate.objects.filter(item__hit__batch__scoring_runs=run).order_by("pk")
    for item_id, number, text in answers.values_list("item_id", "number", "answer__text").iterator(AT_ONCE):
        for suspicion in suspicions(text):
            yield SuspiciousPassage(
                run=run,
                item_id=item_id,
                candidate=number,
                sign=suspicion.sign,
                passage=suspicion.passage[:LONGEST_PASSAGE],
            )
