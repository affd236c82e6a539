"""The work of a run on one aspect: f for every explained judgment, then Algorithm 1, then the rows."""

from array import array
from collections import Counter
from collections.abc import Iterator
from typing import Any

from annotation_platform.core.methods.ebr.rescaling import Rescaling as Rescaled
from annotation_platform.core.methods.ebr.rescaling import rescale
from annotation_platform.core.schemes import RatedAspect, Scheme
from annotation_platform.core.schemes.parts import Rescaling
from annotation_platform.jobs.heartbeat import Heartbeat
from annotation_platform.scoring.methods.ebr.hybrid import HybridScorer
from annotation_platform.scoring.methods.ebr.parameters import (
    DistilledParameters,
    EbrParameters,
    HybridParameters,
    ModelParameters,
)
from annotation_platform.scoring.methods.ebr.scorers import (
    DistilledScorer,
    Explained,
    ModelScorer,
    RecordedScorer,
    ScorerContract,
    scale_numbers,
)
from annotation_platform.scoring.models import Score, ScoringRun
from annotation_platform.scoring.selectors import read_judgments

NO_COMPLETION = 0  # none has this key
CHUNK = 2_000


def score_aspect(
    *, run: ScoringRun, scheme: Scheme, rescaling: Rescaling, parameters: EbrParameters, heartbeat: Heartbeat
) -> dict[str, Any]:
    """Store a score for each of the run's judgments on one aspect; return how many came from where.

    May be repeated after any failure: scores that are there already come out the same, unless the server answers now
    what it had refused.
    """
    aspect = scheme.aspect(rescaling.aspect)
    assert isinstance(aspect, RatedAspect)  # the scheme was checked
    judgments = _Judgments(run, aspect, rescaling.explained_by, heartbeat)
    unread: Counter[str] = Counter()
    scorer = _scorer(parameters, aspect, run)
    for reading in scorer.read(judgments.stream()):
        if reading.explanation_score is None:
            unread[reading.reason] += 1
        else:
            judgments.explanation_scores[reading.position] = reading.explanation_score
        judgments.completions[reading.position] = reading.completion_id or NO_COMPLETION
        if reading.failure:
            judgments.failures[reading.position] = reading.failure
        heartbeat.beat(1)

    rescaled = rescale(
        judgments.annotators,
        judgments.labels,
        judgments.explained,
        judgments.explanation_scores,
        scale_numbers(aspect.scale),
        mixture=parameters.mixture,
    )
    for start in range(0, len(judgments), CHUNK):
        Score.objects.bulk_create(
            judgments.scores(rescaled, start),
            update_conflicts=True,
            unique_fields=["run", "annotation", "aspect"],
            update_fields=["value", "explanation_score", "source", "completion", "failure"],
        )
        heartbeat.beat()
    explained = sum(judgments.explained)
    return {
        "judgments": len(judgments),
        "without_explanation": len(judgments) - explained,
        "read": explained - unread.total(),
        "unread": dict(sorted(unread.items())),
        "sources": {str(source): count for source, count in rescaled.count_by_source().items()},
        **scorer.details(),
    }


def _scorer(parameters: EbrParameters, aspect: RatedAspect, run: ScoringRun) -> ScorerContract:
    """The scorer that a run's parameters are for."""
    if isinstance(parameters, HybridParameters):
        return HybridScorer(parameters, aspect, run)
    if isinstance(parameters, ModelParameters):
        return ModelScorer(parameters, aspect, run)
    if isinstance(parameters, DistilledParameters):
        return DistilledScorer(parameters, aspect, run)
    return RecordedScorer(aspect)


class _Judgments:
    """The judgments of a run on one aspect, as columns that fill while they are streamed.

    A judgment takes some fifty bytes here; its explanation is gone once it has been read.
    """

    def __init__(self, run: ScoringRun, aspect: RatedAspect, explained_by: str, heartbeat: Heartbeat) -> None:
        self._run, self._aspect, self._explained_by, self._heartbeat = run, aspect, explained_by, heartbeat
        self.annotations = array("q")
        self.annotators = array("q")
        self.labels = array("q")
        self.explained = array("b")
        self.explanation_scores = array("d")
        self.completions = array("q")
        self.failures: dict[int, str] = {}

    def __len__(self) -> int:
        return len(self.annotations)

    def stream(self) -> Iterator[Explained]:
        """Fill the columns, and yield the judgments that have an explanation."""
        labels = {choice.key: position for position, choice in enumerate(self._aspect.scale.choices)}
        for pk, annotator_id, item_id, values in read_judgments(self._run, "annotator_id", "item_id", "values"):
            if (choice := values.get(self._aspect.key)) is None:
                self._heartbeat.beat(1)  # the aspect was not asked, or left open: there is nothing to rescale
                continue
            explanation = values.get(self._explained_by) or ""
            has_explanation = bool(explanation.strip())
            self.annotations.append(pk)
            self.annotators.append(annotator_id)
            self.labels.append(labels[choice])
            self.explained.append(has_explanation)
            self.explanation_scores.append(float("nan"))
            self.completions.append(NO_COMPLETION)
            if has_explanation:
                yield Explained(len(self) - 1, pk, item_id, labels[choice], explanation, annotator_id)
            else:
                self._heartbeat.beat(1)

    def scores(self, rescaled: Rescaled, start: int) -> Iterator[Score]:
        """The rows of one chunk."""
        values = rescaled.values[start : start + CHUNK].tolist()
        for position, value in enumerate(values, start=start):
            f = self.explanation_scores[position]
            yield Score(
                run=self._run,
                annotation_id=self.annotations[position],
                aspect=self._aspect.key,
                value=value,
                explanation_score=f if f == f else None,
                source=rescaled.sources[position],
                completion_id=self.completions[position] or None,
                failure=self.failures.get(position, ""),
            )
