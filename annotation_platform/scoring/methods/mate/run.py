"""LLM-MATE as runs execute it: every aspect asked by itself, weights from people's judgments, and its baselines."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.methods.judging import Calling
from annotation_platform.core.reasons import gettext_noop as _
from annotation_platform.core.schemes import Scheme
from annotation_platform.core.signature import signature
from annotation_platform.jobs.heartbeat import Heartbeat
from annotation_platform.jobs.key_blocks import keys_in_blocks
from annotation_platform.scoring.methods.contract import by_language_model
from annotation_platform.scoring.methods.judge.panel import Panel
from annotation_platform.scoring.methods.judge.parameters import resolve_judge
from annotation_platform.scoring.methods.judge.run import Judging, judge
from annotation_platform.scoring.methods.mate.parameters import MateParameters
from annotation_platform.scoring.models import ItemScore, Method, ScoringRun
from annotation_platform.scoring.parameters import Parameters
from annotation_platform.studies.models import Study

if TYPE_CHECKING:
    from annotation_platform.scoring.methods.mate.weights import Fitted, Weighted

PART_UNREAD = "part_unread"
BLOCK = 500  # items


class Mate(Judging):
    name = Method.MATE
    title = _("LLM-MATE")
    purpose = _(
        "One score of an answer from several aspects, weighed as people weigh them (LLM-MATE), and its baselines."
    )
    scored_by = (by_language_model(MateParameters),)
    sources = ("weights_from",)

    def check(self, study: Study) -> None:
        if not study.scheme().composites:
            raise InvalidInputError("scoring.no_composite")
        super().check(study)

    def resolve(self, *, study: Study, scorer: str, given: Mapping[str, Any]) -> MateParameters:
        parameters = resolve_judge(MateParameters, study=study, given={**given, "calling": Calling.SINGLE})
        _source(study, parameters)
        if parameters.reference and not study.corpus.systems.filter(name=parameters.reference).exists():
            raise InvalidInputError("scoring.no_system", system=parameters.reference)
        return parameters

    def data_signature(self, run: ScoringRun) -> str:
        from annotation_platform.scoring.methods.mate.weights import closed_judgments_signature

        parameters = self.parse(scorer=run.scorer, stored=run.parameters)
        assert isinstance(parameters, MateParameters)
        source = _source(run.study, parameters)
        judgments = {study.slug: closed_judgments_signature(study) for study in {run.study, source}}
        return signature({"texts": super().data_signature(run), "judgments": judgments})

    def ready(self, *, run: ScoringRun, scheme: Scheme, parameters: Parameters) -> None:
        assert isinstance(parameters, MateParameters)
        _fitted(run, scheme, parameters)

    def execute(
        self, *, run: ScoringRun, scheme: Scheme, parameters: Parameters, heartbeat: Heartbeat
    ) -> dict[str, Any]:
        from annotation_platform.scoring.methods.mate.baselines import score_baselines  # numpy: only where run

        assert isinstance(parameters, MateParameters)
        self.check(run.study)  # the scheme may have got another version since
        fitted = _fitted(run, scheme, parameters)  # what cannot be is said before anything is paid for
        counts = judge(run, self.panel(run.study, parameters), heartbeat, is_mean=True)
        for each in fitted:
            score_composite(run, each.weighted)
            counts[each.weighted.name] = each.as_counts()
        counts["baselines"] = score_baselines(run, parameters, scheme.composites[0].predicts, heartbeat)
        return counts

    def panel(self, study: Study, parameters: Parameters) -> Panel:
        assert isinstance(parameters, MateParameters)
        keys = {key for composite in study.scheme().composites for key in (*composite.parts, composite.predicts)}
        return Panel(study, parameters, frozenset(keys))

    def vote_again(self, run: ScoringRun, items: Sequence[int]) -> None:
        from annotation_platform.scoring.methods.judge.label_votes import vote_on_items
        from annotation_platform.scoring.methods.mate.weights import Weighted

        vote_on_items(run, run.study.scheme(), is_mean=True, items=items)
        for composite in run.study.scheme().composites:
            # A run that has not come to its end yet has no weights; it will score these items, too.
            if (weighted := Weighted.from_counts(run.study.scheme(), composite, run.counts)) is not None:
                score_composite(run, weighted, items)


def _fitted(run: ScoringRun, scheme: Scheme, parameters: MateParameters) -> "list[Fitted]":
    """Each composite of the scheme with its weights."""
    from annotation_platform.scoring.methods.mate.weights import fit_composite  # numpy: only where run

    source = _source(run.study, parameters)
    return [
        fit_composite(run.study, source, composite, seed=parameters.held_out_seed) for composite in scheme.composites
    ]


def score_composite(run: ScoringRun, weighted: "Weighted", items: Sequence[int] | None = None) -> None:
    """Store the composite's score of each answer (of some items), from the means of its repetitions; none where a
    part is unread."""
    import numpy as np

    from annotation_platform.scoring.methods.judge.label_votes import store_scores

    parts = weighted.composite.parts
    for numbers in _numbers_by_answer(run, parts, items):
        complete = {unit: row for unit, row in numbers.items() if len(row) == len(parts)}
        table = np.array([[row[part] for part in parts] for row in complete.values()]).reshape(-1, len(parts))
        values = dict(zip(complete, weighted.scores(table).tolist(), strict=True))
        store_scores(
            ItemScore(
                run=run,
                item_id=item,
                candidate=candidate,
                aspect=weighted.name,
                value=values.get((item, candidate)),
                reason="" if (item, candidate) in values else PART_UNREAD,
            )
            for item, candidate in numbers
        )


def _numbers_by_answer(
    run: ScoringRun, parts: tuple[str, ...], items: Sequence[int] | None
) -> Iterator[dict[tuple[int, int], dict[str, float]]]:
    """(item, candidate) → the number of each part that has one; in blocks of items."""
    scores = run.item_scores.filter(aspect__in=parts)
    if items is not None:
        scores = scores.filter(item__in=items)
    for block in keys_in_blocks(scores, "item_id", size=BLOCK):
        found: dict[tuple[int, int], dict[str, float]] = {}
        rows = scores.filter(item__in=block).order_by("item_id", "candidate")
        for item, candidate, aspect, value in rows.values_list("item_id", "candidate", "aspect", "value"):
            numbers = found.setdefault((item, candidate), {})
            if value is not None:
                numbers[aspect] = value
        yield found


def _source(study: Study, parameters: MateParameters) -> Study:
    if not parameters.weights_from or parameters.weights_from == study.slug:
        return study
    source = Study.objects.select_related("scheme_version").filter(slug=parameters.weights_from).first()
    if source is None:
        raise InvalidInputError("scoring.no_study_of_weights", study=parameters.weights_from)
    return source
