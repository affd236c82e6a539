"""Flags for people: texts that a run showed to a model and that seem to be written for the model."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

from django.db import transaction

from annotation_platform.core.methods.injection import suspicions
from annotation_platform.core.turns import for_prompt, turns_of
from annotation_platform.jobs.heartbeat import Heartbeat
from annotation_platform.scoring.models import Method, ScoringRun, SuspiciousPassage
from annotation_platform.scoring.selectors import read_judgments
from annotation_platform.studies.models import Candidate

AT_ONCE = 500
LONGEST_PASSAGE = 500


def flag_suspicious(*, run: ScoringRun, heartbeat: Heartbeat) -> int:
    """Store what gives orders to the model in the texts that this run shows it; return how many passages.

    Rescaling shows what annotators wrote, and the answers where its prompt has them; the other methods show what
    systems wrote: answers, rationales, candidates. Flags change no score. A run that is repeated finds the same, and
    what a person has dismissed in it stays so.
    """
    if run.suspicious_passages.exists():
        return run.suspicious_passages.count()
    found, count = _passages(run), 0
    with transaction.atomic():
        while block := list(islice(found, AT_ONCE)):
            SuspiciousPassage.objects.bulk_create(block)
            count += len(block)
    heartbeat.beat()
    return count


def _passages(run: ScoringRun) -> Iterator[SuspiciousPassage]:
    if run.method == Method.EBR:
        yield from _in_explanations(run)
    if run.method != Method.EBR or run.parameters.get("template", {}).get("leaking"):
        yield from _in_answers(run)


def _in_explanations(run: ScoringRun) -> Iterator[SuspiciousPassage]:
    keys = {rescaling.explained_by for rescaling in run.study.scheme().rescale}
    for pk, item_id, values in read_judgments(run, "item_id", "values"):
        for key in keys:
            yield from _in_text(str(values.get(key) or ""), run=run, item_id=item_id, annotation_id=pk)


def _in_answers(run: ScoringRun) -> Iterator[SuspiciousPassage]:
    parts = run.study.scheme().parts
    candidates = Candidate.objects.filter(item__hit__batch__scoring_runs=run).order_by("pk")
    rows = candidates.values_list("item_id", "number", "answer__text", "answer__turns", "answer__rationale")
    for item_id, number, answer, turns, rationale in rows.iterator(AT_ONCE):
        shown = for_prompt(turns_of(turns)) if turns else answer  # with what tools were asked, and gave back
        for text in (shown, rationale if "rationale" in parts else ""):
            yield from _in_text(text, run=run, item_id=item_id, candidate=number)


def _in_text(text: str, **where: Any) -> Iterator[SuspiciousPassage]:
    for suspicion in suspicions(text):
        yield SuspiciousPassage(sign=suspicion.sign, passage=suspicion.passage[:LONGEST_PASSAGE], **where)
