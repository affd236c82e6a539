"""What a run got nothing of, for people to look at: raw replies without a score, and requests without a reply."""

from dataclasses import dataclass

from annotation_platform.scoring.models import ItemLabel, RecordedReply, Scorer, ScoringRun
from annotation_platform.scoring.run_words import unread_in_words


@dataclass(frozen=True)
class Failure:
    """What a run got no score or label of: ``reply`` is the raw one, ``words`` say why there is none or none can be
    read. ``about`` is an aspect's title, and ``annotator`` a pseudonym where a judgment was read."""

    item_id: int
    about: str
    words: str
    reply: str
    annotator: str = ""


def failures(run: ScoringRun, most: int = 20) -> tuple[int, list[Failure]]:
    """How many scores have no f of the model's, or labels no reply; and the first of them. Replies that give no label
    are in the queue of those that a person reads."""
    scores = run.scores.exclude(failure="").order_by("pk")
    labels = run.item_labels.filter(source=ItemLabel.Source.NO_REPLY).order_by("pk")
    fields = ("annotation__item_id", "aspect", "failure", "completion__reply", "annotation__annotator__pseudonym")
    shown = list(scores.values_list("annotation_id", *fields)[:most])
    titles = {aspect.key: aspect.title for aspect in run.study.scheme().aspects}
    with_recorded = [annotation for annotation, *_ in shown] if run.scorer == Scorer.RECORDED else []
    rows = RecordedReply.objects.filter(annotation__in=with_recorded).values_list("annotation_id", "aspect", "reply")
    recorded = {(annotation, aspect): reply for annotation, aspect, reply in rows}
    found = [
        Failure(
            item,
            titles.get(aspect, aspect),
            unread_in_words(code),
            reply or recorded.get((annotation, aspect), ""),
            annotator,
        )
        for annotation, item, aspect, code, reply, annotator in shown
    ]
    refused = labels.values_list("item_id", "aspect", "refusal")[: most - len(found)]
    found += [Failure(item, titles.get(aspect, aspect), words, "") for item, aspect, words in refused]
    return scores.count() + labels.count(), found
