"""A study's own rescalers: trained on what a language model scored in it, kept with how good they are."""

from collections.abc import Callable, Iterator
from dataclasses import asdict
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from django.db import transaction

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import record
from annotation_platform.accounts.verbs import Verb
from annotation_platform.core.errors import InvalidInputError, NotThereError
from annotation_platform.core.schemes import RatedAspect, Scheme
from annotation_platform.core.schemes.parts import Rescaling
from annotation_platform.core.text import percent
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.scoring.methods.ebr.scorers import scale_numbers
from annotation_platform.scoring.models import Method, Scorer, ScoringRun, TrainedRescaler
from annotation_platform.studies.models import Study

if TYPE_CHECKING:  # numpy: only where something is trained
    from annotation_platform.core.methods.distilled.judgments import ScoredJudgments
    from annotation_platform.core.methods.distilled.rescaler import Distilled

TEACHERS = (Scorer.LANGUAGE_MODEL, Scorer.HYBRID, Scorer.RECORDED)
"""Runs whose scores, or some of them, a language model gave."""
FEWEST = 50
MOST_BYTES = 1_000_000
ARTICLE_FOLDS = 5
MOST_ANNOTATOR_FOLDS = 10
CURVE_SHARES = (0.05, 0.1, 0.2, 0.5, 1.0)
SEEDS = (0, 1, 2)

Say = Callable[[str], None]


def train_rescalers(
    *,
    study: Study,
    run: ScoringRun | None = None,
    sample: float = 1.0,
    seed: int = 0,
    say: Say = lambda line: None,
    actor: Actor,
) -> list[TrainedRescaler]:
    """Train a rescaler for each rescaled aspect on a run's scores by a language model, measure it, and keep it.

    Parameters
    ----------
    run : ScoringRun, optional
        A finished one; by default the newest in which a language model gave scores.
    sample : float
        Share of the scored judgments to learn from, drawn at random under ``seed``.
    say : callable
        Told what has been found as it comes, in lines for people.

    Raises
    ------
    NotThereError
        The study has no such run.
    InvalidInputError
        The run is not finished, is of judgments under an earlier version of the scheme, no language model gave its
        scores, or too few of them; or the share is none.
    """
    from annotation_platform.core.methods.distilled.judgments import TrainingError

    if not 0 < sample <= 1:
        raise InvalidInputError("scoring.sample_wrong", sample=sample)
    run = _teacher(study, run)
    if run.scores.exists() and not run.scores.filter(annotation__scheme_version=study.scheme_version_id).exists():
        raise InvalidInputError("scoring.scores_of_earlier_scheme", run=run.pk)
    scheme = study.scheme()
    found = []
    for rescaling in scheme.rescale:
        judgments = _sampled(scored_judgments(run, scheme, rescaling), sample, seed)
        say(f"{rescaling.aspect}: {len(judgments):,} judgments with a language model's score")
        if len(judgments) < FEWEST:
            raise InvalidInputError(
                "scoring.too_few_to_learn_from",
                run=run.pk,
                count=len(judgments),
                aspect=rescaling.aspect,
                fewest=FEWEST,
            )
        try:
            model = _small_enough(judgments, rescaling.aspect)
            figures = _figures(judgments, say)
        except TrainingError as error:
            raise InvalidInputError(error.reason) from None
        found.append(_keep(study, run, rescaling.aspect, model, figures, {"sample": sample, "seed": seed}, actor))
    return found


def scored_judgments(run: ScoringRun, scheme: Scheme, rescaling: Rescaling) -> "ScoredJudgments":
    """The run's explained judgments of an aspect with the scores that a language model gave them, as far as they are
    under the scheme that the study has: under an earlier version, the aspect's key may have been another's."""
    from annotation_platform.core.methods.distilled.judgments import ScoredJudgments

    aspect = scheme.aspect(rescaling.aspect)
    assert isinstance(aspect, RatedAspect)  # the scheme was checked
    labels = {choice.key: position for position, choice in enumerate(aspect.scale.choices)}
    rows = run.scores.filter(aspect=aspect.key, explanation_score__isnull=False).order_by("annotation_id")
    rows = rows.filter(annotation__scheme_version=run.study.scheme_version_id)
    if run.scorer != Scorer.RECORDED:
        rows = rows.filter(completion__isnull=False, failure="")  # the others are a rescaler's own
    explained = [
        (labels[values[aspect.key]], values[rescaling.explained_by], f, annotator, item, article)
        for values, f, annotator, item, article in rows.values_list(
            "annotation__values",
            "explanation_score",
            "annotation__annotator_id",
            "annotation__item_id",
            "annotation__item__hit__article_id",
        )
        if (values.get(rescaling.explained_by) or "").strip() and values.get(aspect.key) in labels
    ]
    label, text, f, annotator, item, article = zip(*explained, strict=True) if explained else ((),) * 6
    return ScoredJudgments.from_columns(
        labels=label,
        explanations=text,
        scores=f,
        annotators=annotator,
        items=item,
        articles=article,
        scale_numbers=scale_numbers(aspect.scale),
    )


def _teacher(study: Study, run: ScoringRun | None) -> ScoringRun:
    if run is None:
        finished = study.scoring_runs.filter(method=Method.EBR, status=JobStatus.DONE, scorer__in=TEACHERS)
        if (newest := finished.order_by("-pk").first()) is None:
            raise InvalidInputError("scoring.no_run_to_learn_from", study=study.name)
        return newest
    if run.study_id != study.pk or run.method != Method.EBR:
        raise NotThereError("scoring.no_rescaling_run", study=study.name, run=run.pk)
    if run.status != JobStatus.DONE:
        raise InvalidInputError("scoring.run_not_finished", run=run.pk)
    if run.scorer not in TEACHERS:
        raise InvalidInputError("scoring.run_asked_no_model", run=run.pk)
    return run


def _sampled(judgments: "ScoredJudgments", share: float, seed: int) -> "ScoredJudgments":
    import numpy as np

    drawn = np.random.default_rng(seed).permutation(len(judgments))[: round(share * len(judgments))]
    return judgments.take(np.sort(drawn))


def _small_enough(judgments: "ScoredJudgments", aspect: str) -> "Distilled":
    """The rescaler with the errors to expect of it; rare n-grams are left out until it fits."""
    from dataclasses import replace

    from annotation_platform.core.methods.distilled.training import OWN_READINGS, train_on_used_labels
    from annotation_platform.core.methods.distilled.uncertainty import learn_uncertainty

    settings = OWN_READINGS  # it scores the study that it learned from
    uncertainty = learn_uncertainty(judgments, folds=ARTICLE_FOLDS, settings=settings).as_json()
    while True:
        model = train_on_used_labels(judgments, settings)
        model = replace(model, metadata=model.metadata | {"aspect": aspect, "uncertainty": uncertainty})
        if len(model.to_bytes()) < MOST_BYTES:
            return model
        settings = replace(settings, min_judgments=2 * settings.min_judgments)


def _figures(judgments: "ScoredJudgments", say: Say) -> dict[str, Any]:
    import numpy as np

    from annotation_platform.core.methods.distilled.curve import learning_curve
    from annotation_platform.core.methods.distilled.held_out import mean_taus
    from annotation_platform.core.methods.distilled.training import OWN_READINGS

    raw = mean_taus(judgments, np.asarray(judgments.scale_numbers)[judgments.labels])
    model = mean_taus(judgments, judgments.scores)
    references = {
        name: {"tau": tau, "tau_incomplete": incomplete}
        for name, (tau, incomplete) in (("raw labels", raw), ("language model", model))
    }
    for name, taus in references.items():
        say(f"  {name}: τ {_number(taus['tau'])}, incomplete {_number(taus['tau_incomplete'])}")
    held = list(_cross_validated(judgments, say))
    curve = []
    for point in learning_curve(judgments, shares=CURVE_SHARES, seeds=SEEDS, settings=OWN_READINGS):
        curve.append(asdict(point))
        say(
            f"  {percent(point.share)} paid, {point.choice if point.share < 1 else 'all'} ({point.n_paid:,.0f}): "
            f"Pearson of the rest {_mean(point.pearson)}, incomplete τ {_mean(point.tau_incomplete)}, "
            f"share of the gain kept {_mean(point.kept)}"
        )
    figures: dict[str, Any] = _plain({"references": references, "held_out": held, "curve": curve})
    return figures


def _cross_validated(judgments: "ScoredJudgments", say: Say) -> Iterator[dict[str, Any]]:
    import numpy as np

    from annotation_platform.core.methods.distilled.held_out import held_out
    from annotation_platform.core.methods.distilled.training import OWN_READINGS

    for split, groups, most in (
        ("articles", judgments.articles, ARTICLE_FOLDS),
        ("annotators", judgments.annotators, MOST_ANNOTATOR_FOLDS),
    ):
        if (count := len(np.unique(groups))) < 2:
            say(f"  unseen {split}: there is only one, so none can be held out")
            continue
        figure = held_out(judgments, groups, split=split, folds=min(count, most), settings=OWN_READINGS)
        say(
            f"  unseen {split} ({figure.folds} folds): Pearson {_number(figure.pearson)}, mean absolute error "
            f"{_number(figure.mean_absolute_error)}, τ {_number(figure.tau)}, "
            f"incomplete {_number(figure.tau_incomplete)}, n {figure.n:,}; "
            f"texts that only one of the {split} has: "
            f"Pearson {_number(figure.own.pearson)}, mean absolute error {_number(figure.own.mean_absolute_error)}, "
            f"n {figure.own.n:,} (the label's mean alone: Pearson {_number(figure.label_mean_own.pearson)})"
        )
        yield asdict(figure)


@transaction.atomic
def _keep(
    study: Study,
    run: ScoringRun,
    aspect: str,
    model: "Distilled",
    figures: dict[str, Any],
    drawn: dict[str, Any],
    actor: Actor,
) -> TrainedRescaler:
    artefact = model.to_bytes()
    trained_on = {
        "run": run.pk,
        "scorer": run.scorer,
        "model": run.parameters.get("model", ""),
        "judgments": model.metadata["n_judgments"],
        "annotators": model.metadata["n_annotators"],
        "articles": model.metadata["n_articles"],
        **drawn,
    }
    kept, is_new = TrainedRescaler.objects.get_or_create(
        study=study,
        aspect=aspect,
        sha256=sha256(artefact).hexdigest(),
        defaults={"run": run, "artefact": artefact, "trained_on": trained_on, "figures": figures},
    )
    if is_new:
        record(actor, Verb.RESCALER_TRAINED, kept, study=study, change={"aspect": (None, aspect)})
    return kept


def _plain(value: Any) -> Any:
    """With None where a figure is undefined: JSON has no NaN."""
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return None if isinstance(value, float) and value != value else value


def _number(value: float) -> str:
    return f"{value:.3f}" if value == value else "undefined"


def _mean(figure: Any) -> str:
    if figure is None:
        return "undefined"
    return f"{figure.mean:.3f}" + (f" ± {figure.deviation:.3f}" if figure.deviation is not None else "")
