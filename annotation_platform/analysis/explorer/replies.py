"""The raw replies of models that the scores and labels of an item were read from."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Prefetch

from annotation_platform.scoring.models import Completion, ItemLabel, RecordedReply, Score, Scorer, ScoringRun
from annotation_platform.scoring.run_words import unread_in_words
from annotation_platform.studies.models import Item

COMPLETIONS = Prefetch(
    "completion", Completion.objects.only("reply", "model", "prompt_tokens", "completion_tokens", "cost")
)


@dataclass(frozen=True)
class Reply:
    """A model's raw reply, and which of several it is or why it gave nothing."""

    given: Completion | RecordedReply
    remark: str = ""


def replies_to_labels(run: ScoringRun | None, item: Item) -> dict[tuple[str, int], list[Reply]]:
    """(aspect, candidate) → the replies whose labels make the vote."""
    found: dict[tuple[str, int], list[Reply]] = {}
    labels = ItemLabel.objects.filter(run=run, item=item).order_by("pk").prefetch_related(COMPLETIONS)
    for label in labels:
        if label.completion is not None:
            repetition = f", repetition {label.repetition}" if label.repetition else ""
            unread = f" · no label was read from it: {unread_in_words(label.reason)}" if label.reason else ""
            reply = Reply(label.completion, f"{label.variant} prompt{repetition}{unread}")
            found.setdefault((label.aspect, label.candidate), []).append(reply)
    return found


def replies_to_scores(run: ScoringRun | None, scores: Sequence[Score]) -> dict[int, Reply]:
    """Key of a score → the reply that it comes from; the scores as of ``prefetch_related(COMPLETIONS)``."""
    recorded: dict[tuple[int, str], RecordedReply] = {}
    if run is not None and run.scorer == Scorer.RECORDED:
        rows = RecordedReply.objects.filter(annotation__in=[score.annotation_id for score in scores])
        recorded = {(row.annotation_id, row.aspect): row for row in rows}
    return {
        score.pk: Reply(given, f"no score was read from it: {unread_in_words(score.failure)}" if score.failure else "")
        for score in scores
        if (given := score.completion or recorded.get((score.annotation_id, score.aspect))) is not None
    }
