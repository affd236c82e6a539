"""What one annotator says of an item, in words."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from annotation_platform.analysis.explorer.labels import labels_in_words
from annotation_platform.analysis.explorer.marked import MarkedText
from annotation_platform.analysis.explorer.replies import Reply
from annotation_platform.annotations.models import Annotation
from annotation_platform.core.citations import SentenceReference, format_sentence_references
from annotation_platform.core.items import CANDIDATE_LETTERS
from annotation_platform.core.schemes import (
    Aspect,
    ItemShape,
    LabelledAspect,
    RatedAspect,
    Scheme,
    SentencesAspect,
    SeveralAspect,
    SpansAspect,
    TextAspect,
    cannot_judge,
)
from annotation_platform.core.schemes.aspects import CANNOT_JUDGE_REASON
from annotation_platform.core.schemes.spans import in_words
from annotation_platform.scoring.models import Score
from annotation_platform.studies.models import Candidate, Item


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
    candidate: int = 0

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
    marked: list[MarkedText] = field(default_factory=list)
    """The texts that it marks."""

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


def judgments_of(items: Iterable[Item], revisions: Sequence[Annotation], scheme: Scheme) -> dict[int, Judgment]:
    """What one annotator's revisions, newest first, say of each item; those that count, with the earlier ones."""
    found = {}
    for item in items:
        mine = [revision for revision in revisions if revision.item_id == item.pk]
        if current := next((revision for revision in mine if revision.is_current), None):
            earlier = [revision for revision in mine if revision.pk < current.pk]
            found[item.pk] = judgment_of(current, item, scheme, {}, {}, earlier)
    return found


def judgment_of(
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
        judgment.choices.append((scheme.cannot_judge or _("Cannot judge"), values.get(CANNOT_JUDGE_REASON, "")))
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
            typed = format_sentence_references(value) or aspect.none_label
            judgment.cited.append(Cited(aspect.title, typed, value, slot.candidate))
        else:
            said = _in_words(aspect, value, item)
            forced = values.get(slot.forced_key) if slot.forced_key else None
            part.choices.append((aspect.title, f"{said} ({getattr(aspect, 'forced_label', '')})" if forced else said))
    if scheme.judges_candidates:
        judgment.candidates.extend(sorted(candidates.values(), key=lambda said: said.letter))  # as they were shown
    return judgment


def _in_words(aspect: Aspect, value: Any, item: Item) -> str:
    if isinstance(aspect, SpansAspect):
        return in_words(aspect, value)
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
