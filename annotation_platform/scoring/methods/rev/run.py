"""REV as runs execute it: how much new information each rationale gives for its answer, by a language model here.

Every answer with a rationale gets a row for each measure. Their names have a dot, which no aspect's key has.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from django.db.models import Avg, Count

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.reasons import gettext_noop as _
from annotation_platform.core.schemes import Scheme
from annotation_platform.corpus.models import Answer
from annotation_platform.jobs.heartbeat import Heartbeat
from annotation_platform.scoring.methods.answers import (
    AnswerMethod,
    GivenAnswer,
    about,
    answer_blocks,
    last_scored,
    store,
)
from annotation_platform.scoring.methods.contract import ScoredBy
from annotation_platform.scoring.methods.rev.parameters import (
    RevParameters,
    models_folder,
    parts_read,
    resolve_rev,
    vacuous_of,
)
from annotation_platform.scoring.models import ItemScore, Method, Scorer, ScoringRun
from annotation_platform.scoring.parameters import Parameters
from annotation_platform.studies.models import Study

if TYPE_CHECKING:
    from annotation_platform.core.methods.rev.evaluators import Evaluator
    from annotation_platform.core.methods.rev.simulation import Chosen

REV, LAS, RQ = "rev.rev", "rev.las", "rev.rq"
ITEMS = 32  # in a block: what is lost at most when a run is killed

NO_RATIONALE = "There is no rationale."
NO_ANSWER = "The answer is blank."
NO_OPTIONS = "There is no other answer to choose."
NO_GOLD = "No answer is known to be right."
TOO_LONG = "It is longer than the evaluator reads."

Options = dict[int, tuple[str, ...]]


class Rev(AnswerMethod):
    name = Method.REV
    title = _("REV")
    called = "scoring.method_rev"
    scored_by = (ScoredBy(Scorer.EVALUATOR, _("Language model on this machine"), RevParameters),)
    purpose = _("How much does each rationale say for its answer that question and answer do not say already?")
    shows = ("rationale",)
    counted = "rationales"

    def resolve(self, *, study: Study, scorer: str, given: Mapping[str, Any]) -> RevParameters:
        return resolve_rev(given)

    def execute(
        self, *, run: ScoringRun, scheme: Scheme, parameters: Parameters, heartbeat: Heartbeat
    ) -> dict[str, Any]:
        from annotation_platform.core.methods.rev.language_models import ModelError
        from annotation_platform.core.methods.rev.sources import find_source

        assert isinstance(parameters, RevParameters)
        try:
            source = find_source(parameters.evaluator, models_folder())
            if source.identity != parameters.weights:
                raise InvalidInputError("scoring.weights_changed", name=source.name)
            score_rationales(run, parameters, source.load(parameters.dtype), heartbeat)
        except ModelError as error:
            raise InvalidInputError(error.reason) from None
        return _counts(run)

    def summary(self, run: ScoringRun) -> list[str]:
        return [
            f"{measure}: mean {found['mean']:+.4f} of {found['rationales']:,} rationales"
            for measure, found in run.counts.items()
            if "mean" in found
        ]


def score_rationales(run: ScoringRun, parameters: RevParameters, evaluator: "Evaluator", heartbeat: Heartbeat) -> None:
    """Store the measures of every rationale that has none yet, a block at a time."""
    heartbeat.beat(ItemScore.objects.filter(run=run, aspect=REV).count())
    for block in answer_blocks(run, after=last_scored(run), items=ITEMS, parts=parts_read(parameters.baseline)):
        readable = [each for each in block if each.answer.rationale.strip() and each.answer.text.strip()]
        rows = [ItemScore(**about(run, each), aspect=REV, reason=_missing(each)) for each in block if _missing(each)]
        rows += _as_far_as_it_reads(run, readable, (REV,), partial(_rev, run, parameters, evaluator, heartbeat))
        if parameters.simulations:
            simulated = partial(_simulated, run, parameters, evaluator, _options(readable))
            rows += _as_far_as_it_reads(run, readable, (LAS, RQ), simulated)
        store(rows)
        heartbeat.beat(len(block))


def _as_far_as_it_reads(
    run: ScoringRun,
    answers: Sequence[GivenAnswer],
    measures: Sequence[str],
    measure: Callable[[Sequence[GivenAnswer]], Iterator[ItemScore]],
) -> list[ItemScore]:
    """The rows of some measures; where one of the answers is longer than the evaluator reads, one by one."""
    from annotation_platform.core.methods.rev.language_models import ModelError

    try:
        return list(measure(answers))
    except ModelError as error:
        if error.reason.code != "models.context_too_long":
            raise
    if len(answers) == 1:
        return [ItemScore(**about(run, answers[0]), aspect=each, reason=TOO_LONG) for each in measures]
    return [row for each in answers for row in _as_far_as_it_reads(run, [each], measures, measure)]


def _missing(each: GivenAnswer) -> str:
    return NO_RATIONALE if not each.answer.rationale.strip() else "" if each.answer.text.strip() else NO_ANSWER


def _rev(
    run: ScoringRun,
    parameters: RevParameters,
    evaluator: "Evaluator",
    heartbeat: Heartbeat,
    answers: Sequence[GivenAnswer],
) -> Iterator[ItemScore]:
    """log f[r, b](y) − log f[b](y), with both parts and b in the details."""
    from annotation_platform.core.methods.rev.evaluators import Explained, score

    vacuous = vacuous_of(answers, parameters.baseline)
    explained = [
        Explained(each.item.question_id, "", each.answer.text, each.answer.rationale, sentence)
        for each, sentence in zip(answers, vacuous, strict=True)
    ]
    found = score(explained, evaluator, per=parameters.per, progress=lambda done, total: heartbeat.beat(), at_once=32)
    rows = zip(answers, vacuous, found.values, found.with_rationale, found.baseline, strict=True)
    for each, sentence, value, given, alone in rows:
        details = {"with_rationale": float(given), "baseline": float(alone), "vacuous": sentence}
        yield ItemScore(**about(run, each), aspect=REV, value=float(value), details=details)


def _simulated(
    run: ScoringRun,
    parameters: RevParameters,
    evaluator: "Evaluator",
    options: Options,
    answers: Sequence[GivenAnswer],
) -> Iterator[ItemScore]:
    """LAS's and RQ's part of each rationale; whether it helped, and whether it leaks, in the details."""
    from annotation_platform.core.methods.rev.simulation import SimulatedQuestion, simulate

    able = [each for each in answers if len(options[each.item.question_id]) > 1]
    chosen = iter(
        simulate(
            [SimulatedQuestion(item.question, answer.rationale, options[item.question_id]) for item, answer in able],
            evaluator,
            per=parameters.per,
        )
    )
    for each in answers:
        among = options[each.item.question_id]
        if len(among) < 2:
            yield from (ItemScore(**about(run, each), aspect=measure, reason=NO_OPTIONS) for measure in (LAS, RQ))
            continue
        choice = next(chosen)
        yield _helped(run, each, LAS, choice, {among.index(_plain(each.answer.text))})
        gold = {among.index(text) for reference in each.references if (text := _plain(reference)) in among}
        if gold:
            yield _helped(run, each, RQ, choice, gold)
        else:
            yield ItemScore(**about(run, each), aspect=RQ, reason=NO_GOLD)


def _helped(run: ScoringRun, each: GivenAnswer, measure: str, choice: "Chosen", wanted: set[int]) -> ItemScore:
    """1[ŷ given r and x] − 1[ŷ given x], for the wanted answers."""
    given, alone = choice.with_rationale in wanted, choice.without in wanted
    details = {"with_rationale": given, "without": alone, "leaks": choice.from_rationale in wanted}
    return ItemScore(**about(run, each), aspect=measure, value=int(given) - int(alone), details=details)


def _options(answers: Sequence[GivenAnswer]) -> Options:
    """The distinct answers that each question could have: its choices, else all answers and reference answers to it.

    A question's own answers are always among them.
    """
    found: dict[int, dict[str, None]] = defaultdict(dict)
    questions = {each.item.question_id: each for each in answers}
    for question, each in questions.items():
        found[question].update(dict.fromkeys(map(_plain, each.item.choices or each.references)))
    open_ended = [question for question, each in questions.items() if not each.item.choices]
    given = Answer.objects.filter(question__in=open_ended).order_by("pk").values_list("question_id", "text")
    for question, text in given:
        found[question][_plain(text)] = None
    for each in answers:
        found[each.item.question_id][_plain(each.answer.text)] = None
    return {question: tuple(filter(None, texts)) for question, texts in found.items()}


def _plain(text: str) -> str:
    return " ".join(text.split())


def _counts(run: ScoringRun) -> dict[str, Any]:
    """The corpus's score by each measure, of how many rationales, and why there is none for the others."""
    rows = ItemScore.objects.filter(run=run).order_by()
    found: dict[str, Any] = {}
    for measure, n, mean in rows.filter(value__isnull=False).values_list("aspect").annotate(Count("pk"), Avg("value")):
        found[measure] = {"rationales": n} | (_las(run) if measure == LAS else {"mean": round(mean, 4)})
    for measure, reason, n in rows.filter(value=None).values_list("aspect", "reason").annotate(Count("pk")):
        found.setdefault(measure, {})[reason.rstrip(".").lower()] = n
    return {measure: found[measure] for measure in (REV, LAS, RQ) if measure in found}


def _las(run: ScoringRun) -> dict[str, Any]:
    """LAS is a mean of two means, or why it is not defined."""
    from annotation_platform.core.methods.rev.scores import las  # numpy: only where runs are executed

    rows = ItemScore.objects.filter(run=run, aspect=LAS, value__isnull=False).order_by()
    parts = ("details__with_rationale", "details__without", "details__leaks")
    found = las(*zip(*rows.values_list(*parts).iterator(10_000), strict=True))
    if found.value is None:
        return {"mean_undefined_because": found.undefined_because}
    return {"mean": round(found.value, 4)}
