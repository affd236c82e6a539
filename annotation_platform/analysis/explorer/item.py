"""What was said about one item: everything that its annotators and the judge wrote."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from django.db.models import OuterRef, Prefetch, Subquery
from django.utils.translation import gettext as _

from annotation_platform.analysis.explorer.judgments import Judgment, judgment_of
from annotation_platform.analysis.explorer.labels import labels_in_words
from annotation_platform.analysis.explorer.marked import marked_texts
from annotation_platform.analysis.explorer.replies import COMPLETIONS, Reply, replies_to_labels, replies_to_scores
from annotation_platform.analysis.explorer.texts import remarks_on
from annotation_platform.annotations.hints import IN_SHORT
from annotation_platform.annotations.models import Annotation
from annotation_platform.core.citations import TURNS, SentenceReference
from annotation_platform.core.errors import NotThereError
from annotation_platform.core.items import Document, ItemTexts, Sentence, numbered
from annotation_platform.core.schemes import Scheme
from annotation_platform.core.turns import SpokenTurn
from annotation_platform.corpus.importers import FORMATS
from annotation_platform.corpus.items import texts_of
from annotation_platform.corpus.models import Answer
from annotation_platform.scoring.models import ItemScore, Score, ScoringRun
from annotation_platform.scoring.run_words import NOT_APPLICABLE, TIE, unread_in_words
from annotation_platform.scoring.selectors import labelling_run, latest_run
from annotation_platform.studies.models import Candidate, Item, Study

HEAT_STEPS = 5
Citing = Counter[tuple[SentenceReference, str]]
"""Who (by pseudonym) cites which sentence."""


@dataclass(frozen=True)
class CitedSentence:
    number: int
    text: str
    is_anchor: bool
    cited_by: list[str]
    heat: int  # 0 (nobody) to HEAT_STEPS (everybody)


@dataclass(frozen=True)
class CitedDocument:
    """A reference document with the heat of its sentences."""

    document: Document
    sentences: list[CitedSentence]


@dataclass(frozen=True)
class CitedTurn:
    """A turn with the heat of its sentences."""

    spoken: SpokenTurn
    sentences: list[CitedSentence]


@dataclass(frozen=True)
class KeptMetric:
    """What an automatic metric said of an answer before it was imported; ``source`` is what its file was."""

    name: str
    value: str
    source: str


@dataclass(frozen=True)
class JudgedAnswer:
    """An answer that is judged, with what was said of it elsewhere."""

    answer: Answer
    metrics: list[KeptMetric]
    turns: list[CitedTurn]
    """What it says, where sentences of it can be cited."""


@dataclass(frozen=True)
class JudgeLine:
    """What a run of a judging model says of one aspect; ``system`` where that is asked of each candidate."""

    title: str
    system: str
    said: str


@dataclass(frozen=True)
class JudgeLines:
    """What was read from the same replies."""

    lines: list[JudgeLine]
    replies: list[Reply]


@dataclass(frozen=True)
class ItemView:
    item: Item
    candidates: list[JudgedAnswer]
    turns: list[CitedTurn]
    """What stands before the answers, where sentences of it can be cited."""
    documents: list[CitedDocument]
    has_article: bool
    sentences: list[CitedSentence]
    beyond_text: list[int]  # cited numbers of a document whose text is withheld
    judgments: list[Judgment]
    run: ScoringRun | None
    judge: list[JudgeLines]
    previous_id: int | None
    next_id: int | None


def view_item(study: Study, pk: int, language: str = "en", *, with_runs: bool = True) -> ItemView:
    """One item with all that was said about it.

    Parameters
    ----------
    with_runs
        Whether what runs found is wanted, too: scores of judgments, and what a judging model says.

    Raises
    ------
    NotThereError
        When the study has no such item.
    """
    item = _with_neighbours(study, pk)
    scheme, run = study.scheme(language), latest_run(study) if with_runs else None
    annotations = list(
        Annotation.objects.filter(item=item)
        .select_related("annotator", "assignment", "scheme_version")
        .defer("scheme_version__definition")
        .order_by("annotator__pseudonym", "-pk")
    )
    current = [annotation for annotation in annotations if annotation.is_current]
    scored = list(Score.objects.filter(run=run, annotation__in=current).prefetch_related(COMPLETIONS)) if run else []
    scores = {(score.annotation_id, score.aspect): score for score in scored}
    replies = replies_to_scores(run, scored)
    judgments = [
        judgment_of(annotation, item, scheme, scores, replies, [a for a in annotations if _precedes(a, annotation)])
        for annotation in current
    ]
    material = texts_of(item, item.candidates.all(), scheme.parts)
    for judgment in judgments:
        judgment.marked.extend(marked_texts(scheme, material, judgment.annotation.values))
        judgment.remarks.extend(_remarks(scheme, material, judgment.annotation.values))
        judgment.remarks.extend(
            _("“%(title)s” was answered under the rule of an earlier version of the scheme.")
            % {"title": _title(scheme, key)}
            for key in judgment.annotation.under_earlier_rule
        )
    citing, article = _citing(judgments), material.article
    in_article = sorted({each for each, _ in citing if isinstance(each, int)})
    return ItemView(
        item=item,
        candidates=[
            JudgedAnswer(each.answer, kept_metrics(each.answer), _said_by(scheme, material, judgments, each.number))
            for each in item.candidates.all()
        ],
        turns=_turns(material.question_turns, citing, len(judgments)) if scheme.cites_conversation else [],
        documents=[CitedDocument(each, _heat(each.numbered, citing, len(judgments))) for each in material.documents],
        has_article=article is not None,
        sentences=_heat(article.numbered, citing, len(judgments), article.anchor)
        if (article := material.article)
        else [],
        beyond_text=[] if material.shape.sentences else in_article,
        judgments=judgments,
        run=run,
        judge=_judge_lines(study, item, scheme) if with_runs else [],
        previous_id=item.previous_id,
        next_id=item.next_id,
    )


def _with_neighbours(study: Study, pk: int) -> Any:
    """The item, with the keys of the one before it and of the one after it."""
    nearby = Item.objects.filter(study=study)
    item = (
        nearby.select_related("question__article__corpus", "hit__batch")
        .prefetch_related(Prefetch("candidates", Candidate.objects.select_related("answer__system")))
        .annotate(
            previous_id=Subquery(nearby.filter(pk__lt=OuterRef("pk")).order_by("-pk").values("pk")[:1]),
            next_id=Subquery(nearby.filter(pk__gt=OuterRef("pk")).order_by("pk").values("pk")[:1]),
        )
        .filter(pk=pk)
        .first()
    )
    if item is None:
        raise NotThereError("analysis.no_item")
    return item


def kept_metrics(answer: Answer) -> list[KeptMetric]:
    """What automatic metrics said of an answer, in the order of their names."""
    return [
        KeptMetric(name, _as_written(value), str(FORMATS[source].title).partition(" (")[0])
        for source, found in sorted((answer.metrics or {}).items())
        for name, value in sorted(found.items())
    ]


def _as_written(value: Any) -> str:
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _remarks(scheme: Scheme, material: ItemTexts, values: dict[str, Any]) -> Iterator[str]:
    found = remarks_on(scheme, material, values)
    for key, assessment in found.vacuous.items():
        why = _(IN_SHORT[assessment.reasons[0]])
        yield _("“%(title)s” says nothing new: %(why)s.") % {"title": _title(scheme, key), "why": why}
    for key, suspicions in found.suspicious.items():
        said = {"title": _title(scheme, key), "passage": suspicions[0].passage}
        yield _("“%(title)s” looks like an order to a judging model: “%(passage)s”.") % said


def _title(scheme: Scheme, key: str) -> str:
    return scheme.aspect(key.partition(".")[0]).title


def _judge_lines(study: Study, item: Item, scheme: Scheme) -> list[JudgeLines]:
    """What the model whose labels count says of the item, aspect by aspect."""
    run = labelling_run(study)
    if run is None:
        return []
    aspects = {aspect.key: aspect for aspect in scheme.labelled_aspects}
    systems = {each.number: each.answer.system.name for each in item.candidates.all()}
    replies = replies_to_labels(run, item)

    def replies_to(score: ItemScore) -> list[Reply]:
        return replies.get((score.aspect, score.candidate), [])

    def line(score: ItemScore) -> JudgeLine:
        aspect = aspects[score.aspect]
        said = labels_in_words(aspect, item).get(score.label, score.label)
        if not said:
            why = unread_in_words(score.reason)
            is_read = score.reason in (NOT_APPLICABLE, TIE)  # its replies were, and gave no label
            said = why if is_read else _("nothing readable (%(why)s)") % {"why": why}
        return JudgeLine(aspect.title, systems.get(score.candidate, ""), said)

    scores = ItemScore.objects.filter(run=run, item=item, aspect__in=aspects).order_by("candidate", "pk")
    return [JudgeLines([line(score) for score in of_same], found) for found, of_same in groupby(scores, replies_to)]


def _precedes(other: Annotation, current: Annotation) -> bool:
    return not other.is_current and (other.assignment_id, other.annotator_id) == (
        current.assignment_id,
        current.annotator_id,
    )


def _citing(judgments: Iterable[Judgment], candidate: int = 0) -> Citing:
    """Who cites what; of a candidate (from 1) only what is cited where it is asked about."""
    return Counter(
        (reference, judgment.annotator)
        for judgment in judgments
        for cited in judgment.cited
        if candidate in (0, cited.candidate)
        for reference in cited.references
    )


def _said_by(scheme: Scheme, material: ItemTexts, judgments: Sequence[Judgment], number: int) -> list[CitedTurn]:
    """The turns of an answer, or of the candidate with this number."""
    if not scheme.cites_conversation:
        return []
    candidate = number if scheme.judges_candidates else 0
    return _turns(material.turns_of(candidate), _citing(judgments, candidate), len(judgments))


def _turns(turns: Iterable[SpokenTurn], citing: Citing, judges: int) -> list[CitedTurn]:
    return [CitedTurn(each, _heat(numbered(TURNS + each.number, each.sentences), citing, judges)) for each in turns]


def _heat(sentences: Iterable[Sentence], citing: Citing, judges: int, anchor: int | None = None) -> list[CitedSentence]:
    """Who cites each sentence; the heat is the share of those who judged the item, in steps."""
    by_sentence: dict[SentenceReference, list[str]] = {}
    for reference, name in citing:
        by_sentence.setdefault(reference, []).append(name)
    return [
        CitedSentence(
            number=sentence.number,
            text=sentence.text,
            is_anchor=sentence.number == anchor,
            cited_by=(names := by_sentence.get(sentence.reference, [])),
            heat=-(-HEAT_STEPS * len(names) // max(judges, 1)),
        )
        for sentence in sentences
    ]
