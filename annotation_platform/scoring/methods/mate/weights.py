"""The weights of a composite: fitted on people's judgments of one study, good for any whose aspects have its keys."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np
from django.db.models import Q

from annotation_platform.annotations.models import Annotation, Rating
from annotation_platform.core.arrays import Floats
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.methods.mate import MateError, MateWeights, Weight, fit_weights, mate_scores, penalties
from annotation_platform.core.schemes import RatedAspect, Scale, Scheme
from annotation_platform.core.schemes.parts import Composite
from annotation_platform.core.statistics import Bootstrap
from annotation_platform.core.statistics.units import unit_of
from annotation_platform.corpus.models import NO_DOCUMENT, Question
from annotation_platform.studies.models import Study

RESAMPLES = 1_000
PREFIX = "mate."
"""Before a composite's key, in the name of its scores: no aspect's key has a dot."""


@dataclass(frozen=True)
class Weighted:
    """A composite with the weights of its parts, in their order.

    The score is ``best ± w · f`` with the parts' penalties f, on the scale of the aspect that it predicts.
    """

    composite: Composite
    scales: tuple[Scale, ...]
    predicted: Scale
    weights: tuple[float, ...]

    @classmethod
    def of(cls, scheme: Scheme, composite: Composite, weights: Iterable[float]) -> "Weighted":
        scales = tuple(_scale(scheme, part) for part in composite.parts)
        return cls(composite, scales, _scale(scheme, composite.predicts), tuple(weights))

    @classmethod
    def from_counts(cls, scheme: Scheme, composite: Composite, counts: Mapping[str, Any]) -> "Weighted | None":
        """With the weights that a finished run had; None where there are none, or of parts that the composite had under
        an earlier version of the scheme."""
        weights = counts.get(f"{PREFIX}{composite.key}", {}).get("weights", {})
        if weights.keys() != set(composite.parts):
            return None
        return cls.of(scheme, composite, (weights[part]["value"] for part in composite.parts))

    @property
    def name(self) -> str:
        """Of its scores."""
        return f"{PREFIX}{self.composite.key}"

    def scores(self, numbers: Floats) -> Floats:
        """The composite's score of each answer, (answers,), from its parts' numbers, (answers, parts)."""
        best, sign = best_and_sign(self.predicted)
        found = np.column_stack(
            [penalties(scale, column) for scale, column in zip(self.scales, numbers.T, strict=True)]
        )
        return best + sign * mate_scores(self.weights, found, best=0)


@dataclass(frozen=True)
class Fitted:
    """A composite, and how its weights were found."""

    weighted: Weighted
    weights: MateWeights
    fitted_on: str
    unit: str

    def as_counts(self) -> dict[str, Any]:
        """For the run's page and report: weights with their intervals, and how well they predict."""
        found, held_out = self.weights, self.weights.held_out.interval
        return {
            "title": self.weighted.composite.title,
            "fitted_on": self.fitted_on,
            "answers": found.n_answers,
            "questions": found.n_questions,
            "unit": self.unit,
            "units": found.n_units,
            "weights": {weight.aspect: _as_counts(weight) for weight in found.weights},
            "held_out_r": found.held_out.value,
            "held_out_low": held_out and held_out.low,
            "held_out_high": held_out and held_out.high,
            "held_out_no_interval_because": found.held_out.no_interval_because,
            "held_out_answers": found.held_out.n_ratings,
            "held_out_units": found.held_out.n_items,
            "held_out_undefined_because": found.held_out.undefined_because,
            "signature": found.signature,
        }


def _as_counts(weight: Weight) -> dict[str, Any]:
    interval = weight.interval
    return {
        "value": weight.value,
        "low": interval and interval.low,
        "high": interval and interval.high,
        "no_interval_because": weight.no_interval_because,
    }


def fit_composite(study: Study, source: Study, composite: Composite, *, seed: int) -> Fitted:
    """Fit a composite of a study on the closed judgments of ``source``, the same study or another.

    Every judgment of an answer is a row; all rows of a question are held out and resampled together, and where
    questions share articles, all of an article.

    Raises
    ------
    InvalidInputError
        When the source has another such composite, or rates as a whole by other numbers, or its judgments cannot settle
        the weights.
    """
    scheme = study.scheme()
    theirs = _same_composite(source.scheme(), composite, source.name)
    _require_same_ends(_scale(scheme, composite.predicts), _scale(source.scheme(), theirs.predicts), source.name)
    keys = (*theirs.parts, theirs.predicts)
    rows = list(judged_numbers(source, keys))
    numbers = np.array([row for _, row in rows], dtype=np.float64).reshape(-1, len(keys))
    questions = [question for question, _ in rows]
    unit, unit_of_question = units_of_questions(source, questions)
    fitted_on = [_scale(source.scheme(), key) for key in keys]
    columns = [penalties(scale, column) for scale, column in zip(fitted_on[:-1], numbers.T[:-1], strict=True)]
    best, sign = best_and_sign(fitted_on[-1])
    try:
        weights = fit_weights(
            theirs.parts,
            np.column_stack(columns),
            sign * (numbers[:, -1] - best),
            questions,
            units=[unit_of_question[question] for question in questions],
            bootstrap=Bootstrap(resamples=RESAMPLES, seed=seed),
            seed=seed,
        )
    except MateError as error:
        raise InvalidInputError(
            "scoring.weights_not_fitted", title=composite.title, count=len(rows), study=source.name, why=error.reason
        ) from None
    return Fitted(Weighted.of(scheme, composite, weights.values.tolist()), weights, source.name, unit)


def units_of_questions(study: Study, questions: Iterable[int]) -> tuple[str, dict[int, int]]:
    """What of these questions is alike, by name, and its code by question: the article, or the question itself.

    Questions about no document share none.
    """
    asked = sorted(set(questions))
    about_none = Q(article__external_id=NO_DOCUMENT, article__title="", article__sentence_count=0)
    article_of = dict(
        Question.objects.filter(article__corpus=study.corpus_id).exclude(about_none).values_list("pk", "article_id")
    )
    articles = np.array([article_of.get(question, -question) for question in asked], dtype=np.int64)
    found = unit_of(articles, np.arange(len(asked)))
    name = "article" if found.name == "article" else "question"
    return name, dict(zip(asked, found.of_item.tolist(), strict=True))


def judged_numbers(study: Study, keys: tuple[str, ...]) -> Iterator[tuple[int, list[float]]]:
    """(question, numbers in the order of ``keys``) of each closed judgment of an answer that has them all."""
    rows = Rating.objects.filter(
        aspect__in=keys, number__isnull=False, annotation__in=Annotation.objects.closed().filter(item__study=study)
    ).order_by("annotation_id", "candidate")
    found: dict[str, float] = {}
    last: tuple[int, int, int] | None = None
    for pk, candidate, question, aspect, number in rows.values_list(
        "annotation_id", "candidate", "annotation__item__question_id", "aspect", "number"
    ).iterator(chunk_size=10_000):
        if (pk, candidate, question) != last:
            if last is not None and len(found) == len(keys):
                yield last[2], [found[key] for key in keys]
            last, found = (pk, candidate, question), {}
        found[aspect] = float(number)  # type: ignore[arg-type]  # filtered above
    if last is not None and len(found) == len(keys):
        yield last[2], [found[key] for key in keys]


def closed_judgments_signature(study: Study) -> str:
    """SHA-256 over a study's closed judgments, by revision."""
    digest = sha256()
    closed = Annotation.objects.closed().filter(item__study=study).order_by("pk")
    for pk, revision in closed.values_list("pk", "revision").iterator(chunk_size=10_000):
        digest.update(f"{pk}:{revision}\n".encode())
    return digest.hexdigest()


def best_and_sign(scale: Scale) -> tuple[float, float]:
    """The best number of an overall scale, and +1 where high is better, −1 where low is.

    Raises
    ------
    InvalidInputError
        When the best number is no end: from a shortfall one could not tell on which side it lies.
    """
    numbers = [choice.number for choice in scale.choices if choice.number is not None]
    if scale.better == "high":
        return max(numbers), 1.0
    if scale.better == "low":
        return min(numbers), -1.0
    raise InvalidInputError("scoring.overall_without_best_end")


def _same_composite(scheme: Scheme, composite: Composite, name: str) -> Composite:
    for other in scheme.composites:
        if (other.parts, other.predicts) == (composite.parts, composite.predicts):
            return other
    raise InvalidInputError(
        "scoring.no_such_composite", study=name, parts=[*composite.parts], predicts=composite.predicts
    )


def _require_same_ends(ours: Scale, theirs: Scale, name: str) -> None:
    """Weights are in steps of the overall scale: on a longer one, an answer would lose too little."""
    if _ends(ours) != _ends(theirs):
        raise InvalidInputError("scoring.other_overall_scale", study=name, theirs=_ends(theirs), ours=_ends(ours))


def _ends(scale: Scale) -> str:
    """The worst and the best number, as they are told."""
    numbers = [choice.number for choice in scale.choices if choice.number is not None]
    best, _ = best_and_sign(scale)
    return f"{min(numbers) + max(numbers) - best:g} … {best:g}"


def _scale(scheme: Scheme, key: str) -> Scale:
    aspect = scheme.aspect(key)
    assert isinstance(aspect, RatedAspect)  # the scheme was checked
    return aspect.scale
