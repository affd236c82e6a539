"""What LLM-MATE has to beat: overlap with the best answer, length, and what a language model makes of the text."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import chain
from random import Random
from typing import TYPE_CHECKING, Any

from django.db.models import Avg

from annotation_platform.annotations.models import Annotation, Rating
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.methods.text_overlap import length, rouge, tokenise, tokenise_any_script
from annotation_platform.core.reasons import Reason, gettext_noop
from annotation_platform.core.schemes import RatedAspect
from annotation_platform.corpus.models import Answer, Question
from annotation_platform.jobs.heartbeat import Heartbeat
from annotation_platform.scoring.methods.answers import GivenAnswer, about, answer_blocks
from annotation_platform.scoring.methods.mate.parameters import MateParameters
from annotation_platform.scoring.methods.rev.parameters import models_folder
from annotation_platform.scoring.models import ItemScore, ScoringRun
from annotation_platform.studies.models import Candidate, Study

if TYPE_CHECKING:
    from annotation_platform.core.methods.rev.language_models import LanguageModel

ROUGE = {"baseline.rouge_1": "rouge1", "baseline.rouge_2": "rouge2", "baseline.rouge_l": "rouge_l"}
LENGTH, BERT_SCORE = "baseline.length", "baseline.bert_score"
ALONE, AFTER_QUESTION, AFTER_RANDOM = (
    f"baseline.perplexity_{setting}" for setting in ("answer", "question", "random_question")
)
BASELINES = (*ROUGE, BERT_SCORE, ALONE, AFTER_QUESTION, AFTER_RANDOM, LENGTH)
TOO_LONG = "too_long"
WITH_MODEL = 16  # answers at once

Row = tuple[GivenAnswer, str, float | None, str]
"""An answer, a measure, its value, and why there is none."""


def score_baselines(run: ScoringRun, parameters: MateParameters, overall: str, heartbeat: Heartbeat) -> dict[str, Any]:
    """Store every baseline of every answer; return which answers ROUGE compares with, and what was left out and why.

    ``overall`` is the aspect by which people rated the answers as a whole.
    """
    from annotation_platform.scoring.methods.judge.label_votes import (
        store_scores,  # numpy: only where runs are executed
    )

    reference_of = reference_answers(run.study, overall, parameters.reference)
    model, missing = load_model(parameters.language_model)
    other_question = _derangement(run.study, parameters.asking.order_seed)
    tokeniser = tokenise if run.study.corpus.language == "en" else tokenise_any_script
    for block in answer_blocks(run):
        rows = list(_overlaps(block, _texts(reference_of, block), tokeniser))
        if model is not None:
            rows += _of_model(model, block, _texts(reference_of, block), other_question)
        store_scores(
            ItemScore(**about(run, each), aspect=name, value=value, reason=reason) for each, name, value, reason in rows
        )
        heartbeat.beat()
    return {
        "compared_with": parameters.reference or "the answers that people rated best",
        "language_model": model.name if model else None,
        "left_out_because": missing,
    }


def reference_answers(study: Study, overall: str, system: str) -> dict[int, int]:
    """Question → the answer that others are compared with: a system's, else the one that people rate best.

    Of answers with the same mean rating the one that came first into the study is taken. Questions whose answers
    nobody has judged have none.
    """
    answers = Candidate.objects.filter(study=study)
    if system:
        return dict(answers.filter(answer__system__name=system).values_list("item__question_id", "answer_id"))
    scheme = study.scheme()
    aspect = scheme.aspect(overall)
    assert isinstance(aspect, RatedAspect)  # what composites predict
    rated = Rating.objects.filter(
        aspect=overall, annotation__in=Annotation.objects.closed().filter(item__study=study), number__isnull=False
    )
    means = rated.values_list("annotation__item_id", "candidate").annotate(Avg("number")).order_by()
    mean_of = {(item, candidate): mean if aspect.scale.better == "high" else -mean for item, candidate, mean in means}
    best: dict[int, tuple[float, int]] = {}
    is_group = scheme.judges_candidates
    for item, number, question, answer in answers.order_by("pk").values_list(
        "item_id", "number", "item__question_id", "answer_id"
    ):
        mean = mean_of.get((item, number if is_group else 0))
        if mean is not None and (question not in best or mean > best[question][0]):
            best[question] = (mean, answer)
    return {question: answer for question, (_, answer) in best.items()}


def load_model(name: str) -> "tuple[LanguageModel | None, str | None]":
    """The language model of this name, or one sentence on why perplexity and BERTScore are left out.

    Raises
    ------
    InvalidInputError
        When there is no model of this name.
    """
    from annotation_platform.core.methods.rev.language_models import missing_extra

    if not name:
        return None, gettext_noop("No language model was chosen for perplexity and BERTScore.")
    if reason := missing_extra():
        return None, reason
    return _loaded(name), None


@cache
def _loaded(name: str) -> "LanguageModel":
    from annotation_platform.core.methods.rev.language_models import LanguageModel, ModelError
    from annotation_platform.core.methods.rev.weights import packaged

    models = packaged(models_folder())
    if name not in models:
        raise InvalidInputError("scoring.no_language_model", name=name, installed=[*models] or Reason("words.none_yet"))
    try:
        return LanguageModel.load(models[name](), name=name)
    except ModelError as error:
        raise InvalidInputError(error.reason) from None


def _texts(reference_of: dict[int, int], block: Sequence[GivenAnswer]) -> dict[int, str]:
    """Question → the text of the answer that others are compared with."""
    questions = dict.fromkeys(each.item.question_id for each in block)
    wanted = {question: reference_of[question] for question in questions if question in reference_of}
    texts = dict(Answer.objects.filter(pk__in=wanted.values()).values_list("pk", "text"))
    return {question: texts[answer] for question, answer in wanted.items()}


def _overlaps(
    block: Iterable[GivenAnswer], references: dict[int, str], tokeniser: Callable[[str], list[str]]
) -> Iterator[Row]:
    for each in block:
        yield each, LENGTH, length(each.answer.text), ""
        reference = references.get(each.item.question_id)
        if reference is not None and reference != each.answer.text:
            found = rouge(each.answer.text, [reference], tokeniser=tokeniser)
            for name, kind in ROUGE.items():
                yield each, name, getattr(found, kind).f1, ""


def _of_model(
    model: "LanguageModel", block: Sequence[GivenAnswer], references: dict[int, str], other_question: dict[int, str]
) -> Iterator[Row]:
    for start in range(0, len(block), WITH_MODEL):
        part = block[start : start + WITH_MODEL]
        contexts = {
            ALONE: [""] * len(part),
            AFTER_QUESTION: [each.item.question for each in part],
            AFTER_RANDOM: [other_question[each.item.question_id] for each in part],
        }
        for name, before in contexts.items():
            yield from _perplexities(model, name, part, before)
        yield from _bert_scores(model, [each for each in part if each.item.question_id in references], references)


def _perplexities(
    model: "LanguageModel", name: str, part: Sequence[GivenAnswer], contexts: Sequence[str]
) -> Iterator[Row]:
    """exp(−log-likelihood of the answer / its tokens), the context given."""
    import numpy as np

    fitting = [place for place, each in enumerate(part) if _fits(model, contexts[place], each.answer.text)]
    found = model.log_likelihood([contexts[place] for place in fitting], [part[place].answer.text for place in fitting])
    values = dict(zip(fitting, np.exp(-found.totals / found.tokens).tolist(), strict=True))
    for place, each in enumerate(part):
        yield each, name, values.get(place), "" if place in values else TOO_LONG


def _bert_scores(model: "LanguageModel", part: Sequence[GivenAnswer], references: dict[int, str]) -> Iterator[Row]:
    from annotation_platform.core.methods.bert_score import bert_score, token_vectors

    compared = [
        each
        for each in part
        if references[each.item.question_id] != each.answer.text
        and _fits(model, "", each.answer.text)
        and _fits(model, "", references[each.item.question_id])
    ]
    if not compared:
        return
    pairs = ((each.answer.text, references[each.item.question_id]) for each in compared)
    texts = list(dict.fromkeys(chain.from_iterable(pairs)))
    vectors = dict(zip(texts, token_vectors(model, texts), strict=True))
    for each in compared:
        yield each, BERT_SCORE, bert_score(vectors[each.answer.text], vectors[references[each.item.question_id]]).f1, ""


def _fits(model: "LanguageModel", context: str, target: str) -> bool:
    from annotation_platform.core.methods.rev.language_models import ModelError

    try:
        return len(model.encode(context, target)[1]) > 0
    except ModelError:
        return False


def _derangement(study: Study, seed: int) -> dict[int, str]:
    """Each question → the text of another one, at random; its own only where there is no other."""
    questions = list(Question.objects.filter(items__study=study).distinct().order_by("pk").values_list("pk", "text"))
    Random(seed).shuffle(questions)
    return {pk: questions[place - 1][1] for place, (pk, _) in enumerate(questions)}
