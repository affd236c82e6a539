"""What was said about one item: everything that its annotators and the judge wrote."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from django.db.models import OuterRef, Prefetch, Subquery

from annotation_platform.analysis.explorer.replies import COMPLETIONS, Reply, replies_to_labels, replies_to_scores
from annotation_platform.analysis.explorer.texts import remarks_on
from annotation_platform.annotations.hints import IN_SHORT
from annotation_platform.annotations.models import Annotation
from annotation_platform.core.errors import NotThereError
from annotation_platform.core.items import CANDIDATE_LETTERS, Document, ItemTexts
from annotation_platform.core.schemes import (
    Aspect,
    BestOfAspect,
    ItemShape,
    LabelledAspect,
    Level,
    RatedAspect,
    Scheme,
    SentencesAspect,
    SeveralAspect,
    TextAspect,
    cannot_judge,
)
from annotation_platform.core.schemes.aspects import CANNOT_JUDGE_REASON, TIE
from annotation_platform.core.text import SentenceReference, format_sentence_references
from annotation_platform.scoring.models import ItemScore, Score, ScoringRun
from annotation_platform.scoring.selectors import labelling_run, latest_run
from annotation_platform.studies.items import item_texts
from annotation_platform.studies.models import Candidate, Item, Study

HEAT_STEPS = 5


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
class ScoreLine:
    """What became of one label: its number on the scale, the rescaled value, and where that came from."""

    title: str
    label: str
    number: float | None
    value: float | None
    source: str
    replies: list[Reply]


@dataclass(frozen=True)
class Cited:
    """The sentences that a judgment cites under one aspect: as typed, and those of the article as links."""

    title: str
    typed: str
    references: list[SentenceReference]

    @property
    def in_article(self) -> list[int]:
        return [reference for reference in self.references if isinstance(reference, int)]


@dataclass(frozen=True)
class CandidateLabels:
    """What one annotator said of one candidate of a group, and the letter under which they saw it, if it is known."""

    candidate: Candidate
    choices: list[tuple[str, str]]
    texts: list[tuple[str, str]]
    letter: str = ""


@dataclass(frozen=True)
class Judgment:
    """One annotator's word on an item, in the scheme's order."""

    annotation: Annotation
    annotator: str
    choices: list[tuple[str, str]]
    texts: list[tuple[str, str]]
    cited: list[Cited]
    scores: list[ScoreLine]
    candidates: list[CandidateLabels] = field(default_factory=list)
    earlier: list[Annotation] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    """Why a person should look at its texts."""

    @property
    def shown_as(self) -> str:
        """Which letter was which system on this annotator's page, as in “A alder · B birch”."""
        known = (said for said in self.candidates if said.letter)
        return " · ".join(f"{said.letter} {said.candidate.answer.system.name}" for said in known)

    @property
    def says_of_candidates(self) -> bool:
        return any(said.choices or said.texts for said in self.candidates)

    @property
    def numbered(self) -> str:
        """Which number stands for which system in a revision as it was stored."""
        by_number = sorted(self.candidates, key=lambda said: said.candidate.number)
        return " · ".join(f"{said.candidate.number} {said.candidate.answer.system.name}" for said in by_number)


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
    candidates: list[Candidate]
    documents: list[CitedDocument]
    has_article: bool
    sentences: list[CitedSentence]
    beyond_text: list[int]  # cited numbers of a document whose text is withheld
    judgments: list[Judgment]
    run: ScoringRun | None
    judge: list[JudgeLines]
    previous_id: int | None
    next_id: int | None


def main_aspect(scheme: Scheme) -> LabelledAspect | None:
    """The aspect that lists show: the first rescaled one, else the first ordered one of the whole item, else any."""
    rescaled = {rescaling.aspect for rescaling in scheme.rescale}

    def rank(aspect: LabelledAspect) -> tuple[bool, bool, bool]:
        is_ordered = isinstance(aspect, RatedAspect) and aspect.scale.level is not Level.NOMINAL
        return aspect.key not in rescaled, aspect.per == "candidate", not is_ordered

    return min(scheme.labelled_aspects, key=rank, default=None)


def labels_in_words(aspect: LabelledAspect, item: Item) -> dict[str, str]:
    """The labels of an item; a number without words says between what it lies, as in ``2 (0 Bad to 3 Good)``."""
    words = dict(labels_of(aspect, item))
    if isinstance(aspect, RatedAspect):
        keys = [choice.key for choice in aspect.scale.choices]
        ends = " to ".join(key if words[key] == key else f"{key} {words[key]}" for key in (keys[0], keys[-1]))
        words |= {key: f"{key} ({ends})" for key in keys if words[key] == key}
    return words


def labels_of(aspect: LabelledAspect, item: Item) -> list[tuple[str, str]]:
    """Key and wording of every label that an item can get; the best of a group is named by its system."""
    if isinstance(aspect, RatedAspect):
        return [(choice.key, choice.label) for choice in aspect.scale.choices]
    if isinstance(aspect, BestOfAspect):
        systems = [(str(candidate.number), candidate.answer.system.name) for candidate in item.candidates.all()]
        return [*systems, *([(TIE, aspect.tie_label)] if aspect.tie_label else [])]
    choices = item.question.choices
    worded = {key: f"{key}) {text}" for key, text in zip(aspect.keys(len(choices)), choices, strict=False)}
    return [(key, worded.get(key, aspect.none_label)) for key in aspect.keys(len(choices))]


def view_item(study: Study, pk: int, language: str = "en") -> ItemView:
    """One item with all that was said about it.

    Raises
    ------
    NotThereError
        When the study has no such item.
    """
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
    scheme, run = study.scheme(language), latest_run(study)
    annotations = list(
        Annotation.objects.filter(item=item)
        .select_related("annotator", "assignment")
        .order_by("annotator__pseudonym", "-pk")
    )
    current = [annotation for annotation in annotations if annotation.is_current]
    scored = list(Score.objects.filter(run=run, annotation__in=current).prefetch_related(COMPLETIONS))
    scores = {(score.annotation_id, score.aspect): score for score in scored}
    replies = replies_to_scores(run, scored)
    judgments = [
        _judgment(annotation, item, scheme, scores, replies, [a for a in annotations if _precedes(a, annotation)])
        for annotation in current
    ]
    (material,) = item_texts(nearby.filter(pk=pk), scheme.parts)
    for judgment in judgments:
        judgment.remarks.extend(_remarks(scheme, material, judgment.annotation.values))
        judgment.remarks.extend(
            f"“{_title(scheme, key)}” was answered under the rule of an earlier version of the scheme."
            for key in judgment.annotation.under_earlier_rule
        )
    citing = Counter((each, j.annotator) for j in judgments for cited in j.cited for each in cited.references)
    in_article = sorted({each for each, _ in citing if isinstance(each, int)})
    return ItemView(
        item=item,
        candidates=list(item.candidates.all()),
        documents=[CitedDocument(each, _heat(each, citing, len(judgments))) for each in material.documents],
        has_article=material.article is not None,
        sentences=_heat(material.article, citing, len(judgments)) if material.article else [],
        beyond_text=[] if material.shape.sentences else in_article,
        judgments=judgments,
        run=run,
        judge=_judge_lines(study, item, scheme),
        previous_id=item.previous_id,
        next_id=item.next_id,
    )


def judgments_of(items: Iterable[Item], revisions: Sequence[Annotation], scheme: Scheme) -> dict[int, Judgment]:
    """What one annotator's revisions, newest first, say of each item; those that count, with the earlier ones."""
    found = {}
    for item in items:
        mine = [revision for revision in revisions if revision.item_id == item.pk]
        if current := next((revision for revision in mine if revision.is_current), None):
            earlier = [revision for revision in mine if revision.pk < current.pk]
            found[item.pk] = _judgment(current, item, scheme, {}, {}, earlier)
    return found


def _remarks(scheme: Scheme, material: ItemTexts, values: dict[str, Any]) -> Iterator[str]:
    found = remarks_on(scheme, material, values)
    for key, assessment in found.vacuous.items():
        yield f"“{_title(scheme, key)}” says nothing new: {IN_SHORT[assessment.reasons[0]]}."
    for key, suspicions in found.suspicious.items():
        passage = suspicions[0].passage
        yield f"“{_title(scheme, key)}” looks like an order to a judging model: “{passage}”."


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
        said = labels_in_words(aspect, item).get(score.label, score.label) or f"nothing readable ({score.reason})"
        return JudgeLine(aspect.title, systems.get(score.candidate, ""), said)

    scores = ItemScore.objects.filter(run=run, item=item, aspect__in=aspects).order_by("candidate", "pk")
    return [JudgeLines([line(score) for score in of_same], found) for found, of_same in groupby(scores, replies_to)]


def _precedes(other: Annotation, current: Annotation) -> bool:
    return not other.is_current and (other.assignment_id, other.annotator_id) == (
        current.assignment_id,
        current.annotator_id,
    )


def _judgment(
    annotation: Annotation,
    item: Item,
    scheme: Scheme,
    scores: dict[tuple[int, str], Score],
    replies: dict[int, Reply],
    earlier: list[Annotation],
) -> Judgment:
    """What an annotation says, in words; a value of an earlier scheme that fits no more stands as it is."""
    values: dict[str, Any] = annotation.values
    rescaled = {rescaling.aspect for rescaling in scheme.rescale}
    letters = dict(zip(annotation.presented or (), CANDIDATE_LETTERS, strict=False))
    candidates = {
        each.number: CandidateLabels(each, [], [], letters.get(each.number, "")) for each in item.candidates.all()
    }
    judgment = Judgment(annotation, annotation.annotator.pseudonym, [], [], [], [], earlier=earlier)
    if cannot_judge(values):
        judgment.choices.append((scheme.cannot_judge or "Cannot judge", values.get(CANNOT_JUDGE_REASON, "")))
    for slot in scheme.slots(ItemShape(candidates=len(candidates))):
        if slot.key not in values:
            continue
        aspect, value = slot.aspect, values[slot.key]
        part = candidates[slot.candidate] if slot.candidate else judgment
        if aspect.key in rescaled:
            judgment.scores.append(_score_line(aspect, value, scores.get((annotation.pk, aspect.key)), replies))
        elif isinstance(aspect, TextAspect):
            part.texts.append((aspect.title, value))
        elif isinstance(aspect, SentencesAspect):
            judgment.cited.append(Cited(aspect.title, format_sentence_references(value) or aspect.none_label, value))
        else:
            said = _in_words(aspect, value, item)
            forced = values.get(slot.forced_key) if slot.forced_key else None
            part.choices.append((aspect.title, f"{said} ({getattr(aspect, 'forced_label', '')})" if forced else said))
    if scheme.judges_candidates:
        judgment.candidates.extend(sorted(candidates.values(), key=lambda said: said.letter))  # as they were shown
    return judgment


def _in_words(aspect: Aspect, value: Any, item: Item) -> str:
    if isinstance(aspect, SeveralAspect):
        words = {choice.key: choice.label for choice in aspect.choices}
        return ", ".join(words.get(key, key) for key in value) or aspect.none_label
    return labels_in_words(aspect, item).get(value, str(value)) if isinstance(aspect, LabelledAspect) else str(value)


def _score_line(aspect: Aspect, value: str, score: Score | None, replies: dict[int, Reply]) -> ScoreLine:
    assert isinstance(aspect, RatedAspect)  # the scheme was checked
    choice = aspect.scale.choice(value)
    return ScoreLine(
        title=aspect.title,
        label=choice.label,
        number=choice.number,
        value=None if score is None else score.value,
        source="" if score is None else score.get_source_display(),
        replies=[replies[score.pk]] if score is not None and score.pk in replies else [],
    )


def _heat(document: Document, citing: Counter[tuple[SentenceReference, str]], judges: int) -> list[CitedSentence]:
    """Who cites each sentence; the heat is the share of those who judged the item, in steps."""
    by_sentence: dict[SentenceReference, list[str]] = {}
    for reference, name in citing:
        by_sentence.setdefault(reference, []).append(name)
    return [
        CitedSentence(
            number=sentence.number,
            text=sentence.text,
            is_anchor=sentence.number == document.anchor,
            cited_by=(names := by_sentence.get(sentence.reference, [])),
            heat=-(-HEAT_STEPS * len(names) // max(judges, 1)),
        )
        for sentence in document.numbered
    ]
