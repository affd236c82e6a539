"""The raw replies of models that the scores and labels of an item were read from."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Prefetch
from django.utils.translation import gettext as _

from annotation_platform.scoring.models import Completion, ItemLabel, RecordedReply, Score, Scorer, ScoringRun
from annotation_platform.scoring.run_words import unread_in_words, variant_in_words
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
            found.setdefault((label.aspect, label.candidate), []).append(Reply(label.completion, _remark(label)))
    return found


def _remark(label: ItemLabel) -> str:
    which = {"variant": variant_in_words(label.variant), "repetition": label.repetition}
    remark = (
        _("%(variant)s prompt, repetition %(repetition)s") if label.repetition else _("%(variant)s prompt")
    ) % which
    if not label.reason:
        return remark
    return f"{remark} · {_('no label was read from it: %(why)s') % {'why': unread_in_words(label.reason)}}"


def replies_to_scores(run: ScoringRun | None, scores: Sequence[Score]) -> dict[int, Reply]:
    """Key of a score → the reply that it comes from; the scores as of ``prefetch_related(COMPLETIONS)``."""
    recorded: dict[tuple[int, str], RecordedReply] = {}
    if run is not None and run.scorer == Scorer.RECORDED:
        rows = RecordedReply.objects.filter(annotation__in=[score.annotation_id for score in scores])
        recorded = {(row.annotation_id, row.aspect): row for row in rows}
    unread = _("no score was read from it: %(why)s")
    return {
        score.pk: Reply(given, unread % {"why": unread_in_words(score.failure)} if score.failure else "")
        for score in scores
        if (given := score.completion or recorded.get((score.annotation_id, score.aspect))) is not None
    }
