"""The closed judgments of a study as arrays: read once, in an order that is the same on every machine."""

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from django.db.models import Case, IntegerField, Value, When
from django.db.models.functions import Cast
from django.utils.translation import gettext_noop

from annotation_platform.analysis.measuring.columns import read_numbers, read_whole_numbers, sort_rows
from annotation_platform.analysis.measuring.digests import digest, hashed
from annotation_platform.analysis.measuring.judgment_table import AspectSpec, JudgmentTable, MeasuredLabel
from annotation_platform.analysis.measuring.units import Units
from annotation_platform.annotations.models import Annotation, Rating
from annotation_platform.core.arrays import Codes, Flags
from annotation_platform.core.schemes import BestOfAspect, LabelledAspect, Level, RatedAspect
from annotation_platform.core.schemes.aspects import TIE
from annotation_platform.corpus.models import Question
from annotation_platform.scoring.models import Score, ScoringRun
from annotation_platform.studies.models import Candidate, Study

UNKNOWN = -1
CodeOfMember = Callable[[np.ndarray], Codes]


def measures(study: Study) -> list[tuple[LabelledAspect, AspectSpec]]:
    """Every aspect with labels, those that are rescaled first."""
    scheme = study.scheme()
    rescaled = {rescaling.aspect for rescaling in scheme.rescale}
    ordered = sorted(scheme.labelled_aspects, key=lambda aspect: aspect.key not in rescaled)
    return [(aspect, _measure(study, aspect)) for aspect in ordered]


def _is_rescaled(study: Study, aspect: LabelledAspect) -> bool:
    return any(rescaling.aspect == aspect.key for rescaling in study.scheme().rescale)


def _measure(study: Study, aspect: LabelledAspect) -> AspectSpec:
    if isinstance(aspect, RatedAspect):
        scale, best = aspect.scale, aspect.scale.best_choice
        return AspectSpec(
            aspect.key,
            aspect.title,
            scale.level,
            tuple(MeasuredLabel(choice.key, choice.label, choice.number) for choice in scale.choices),
            best=None if best is None else scale.choices.index(best),
            better=scale.better,
            is_rescaled=_is_rescaled(study, aspect),
            per=aspect.per,
        )
    if isinstance(aspect, BestOfAspect):
        # A candidate's number means nothing beyond its item; whose answer it is does.
        keys = [system.name for system in study.corpus.systems.order_by("name")]
        keys += [TIE] if aspect.tie_label else []
    else:
        questions = Question.objects.filter(article__corpus=study.corpus_id).values_list("choices", flat=True)
        keys = aspect.keys(max(map(len, questions.iterator()), default=0))
    return AspectSpec(
        aspect.key, aspect.title, Level.NOMINAL, tuple(MeasuredLabel(key, key, None) for key in keys), per=aspect.per
    )


class Digests(NamedTuple):
    """Of the labels, and of which judgments the run covers; and of these with the run's scores."""

    labels: str
    scored: str


@dataclass(frozen=True, eq=False)
class ClosedJudgments:
    """The closed judgments of one aspect in the order of items and annotators, before any run's scores.

    ``judged`` are the units that have judgments, ascending, and ``items`` the place of each judgment's among them.
    ``known_by`` is the SHA-256 of all that identifies them.
    """

    study: Study
    aspect: LabelledAspect
    units: Units
    annotators: tuple[str, ...]
    annotations: Codes
    judged: Codes
    items: Codes
    raters: Codes
    choices: Codes
    explained: Flags
    known_by: "hashlib._Hash"

    def with_scores(self, run: ScoringRun | None) -> tuple[JudgmentTable, Digests]:
        """The table of them with the scores of ``run``, and digests of what it is made of.

        With a run, judgments that it does not cover are counted but left out, so that raw and rescaled figures
        are about the very same judgments.
        """
        no_scores_because = None
        if not _is_rescaled(self.study, self.aspect):
            run, no_scores_because = None, gettext_noop("The scheme does not rescale this aspect.")
        elif run is None:
            no_scores_because = gettext_noop("No scoring run has finished yet.")
        scores, read, covered = _scores(run, self.aspect, self.annotations)
        if run is None:
            covered = np.ones_like(covered)
        labels = hashed(covered, after=self.known_by).hexdigest()
        unscored = int((~covered).sum())
        if unscored:
            scores, read = scores[covered], read[covered]
        given = self.part(covered) if unscored else self
        judged, units = given.judged, self.units
        table = JudgmentTable(
            annotations=given.annotations,
            items=given.items,
            raters=given.raters,
            choices=given.choices,
            explained=given.explained,
            scores=None if run is None else scores,
            explanation_scores=None if run is None else read,
            annotators=self.annotators,
            systems=units.systems,
            system_of_item=units.system_of_item[judged],
            sources=units.sources,
            source_of_item=units.source_of_item[judged],
            question_of_item=units.question_of_item[judged],
            unit=units.unit_of(judged),
            units=judged,
            families=units.families,
            unscored=unscored,
            no_scores_because=no_scores_because,
        )
        # The judgments left out are the same for every run that covers the same: the scores tell the rest.
        return table, Digests(labels, labels if run is None else digest(labels.encode(), scores, read))

    def sharing(self, others: Iterable["ClosedJudgments"]) -> "ClosedJudgments":
        """The same, with arrays of other aspects where these are equal, as where people judge several at once."""
        for other in others:
            columns = ("annotations", "judged", "items", "raters", "explained")
            pairs = {name: (getattr(self, name), getattr(other, name)) for name in columns}
            equal = {name: theirs for name, (ours, theirs) in pairs.items() if np.array_equal(ours, theirs)}
            if equal:
                return replace(self, **equal)
        return self

    def part(self, rows: Flags) -> "ClosedJudgments":
        """Only these, still known by all of them."""
        judged, items = numbered(self.judged[self.items[rows]])
        return replace(
            self,
            annotations=self.annotations[rows],
            judged=judged,
            items=items,
            raters=self.raters[rows],
            choices=self.choices[rows],
            explained=self.explained[rows],
        )


def read_judgments(study: Study, aspect: LabelledAspect, measure: AspectSpec, units: Units) -> ClosedJudgments:
    """The closed judgments of one aspect; what runs make of them is asked of the result."""
    annotators, code_of_member = annotators_of(study)
    found = _ratings(study, aspect, measure, units, code_of_member)
    sort_rows(found, by=(found.units, found.raters, found.annotations))
    explained = np.isin(found.annotations, _explained(study, aspect))
    names = "\x1f".join(annotators).encode()
    said = found.units, found.raters, found.revisions, found.choices
    known_by = hashed(units.digest.encode(), names, aspect.key.encode(), said, explained)
    # Items that nobody has judged yet are not there to be drawn when items are resampled.
    judged, items = numbered(found.units)
    return ClosedJudgments(
        study=study,
        aspect=aspect,
        units=units,
        annotators=annotators,
        annotations=found.annotations,
        judged=judged,
        items=items,
        raters=found.raters,
        choices=found.choices,
        explained=explained,
        known_by=known_by,
    )


def annotators_of(study: Study) -> tuple[tuple[str, ...], CodeOfMember]:
    """The names of all who judged items, in their order, and what gives the place there of each member by its key."""
    names = dict(study.members.filter(annotations__is_check=False).distinct().values_list("pk", "pseudonym"))
    annotators = tuple(sorted(names.values(), key=natural_order))
    place = {name: code for code, name in enumerate(annotators)}
    members = np.array(sorted(names), dtype=np.int64)
    code_of_member = np.array([place[names[pk]] for pk in members.tolist()], dtype=np.int64)
    return annotators, lambda keys: code_of_member[np.searchsorted(members, keys)]


def numbered(ordered: np.ndarray) -> tuple[np.ndarray, Codes]:
    """The different ones of ascending keys, and of each key its place among them."""
    is_new = np.ones(len(ordered), dtype=np.bool_)
    is_new[1:] = ordered[1:] != ordered[:-1]
    return ordered[is_new], np.cumsum(is_new) - 1


def positions_of(study: Study, aspect: LabelledAspect, measure: AspectSpec) -> Callable[[int, str], int]:
    """Which label a choice is on an item, as its position in the measure."""
    position = {label.key: index for index, label in enumerate(measure.labels)}
    if not isinstance(aspect, BestOfAspect):
        return lambda item, choice: position[choice]
    system_of = {
        (item, str(number)): system
        for item, number, system in Candidate.objects.filter(study=study).values_list(
            "item_id", "number", "answer__system__name"
        )
    }
    return lambda item, choice: position[TIE if choice == TIE else system_of[item, choice]]


class _Labels(NamedTuple):
    """Ratings of an aspect: codes of unit and annotator, and the label as its position in the measure."""

    annotations: Codes
    units: Codes
    raters: Codes
    revisions: Codes
    choices: Codes


def _ratings(
    study: Study, aspect: LabelledAspect, measure: AspectSpec, units: Units, code_of_member: CodeOfMember
) -> _Labels:
    # Of candidates, the number is read and then looked up, for it is another system on each item.
    is_number = isinstance(aspect, BestOfAspect)
    known = {TIE: 0} if is_number else {label.key: place for place, label in enumerate(measure.labels)}
    rest = Cast("choice", IntegerField()) if is_number else Value(UNKNOWN)
    whens = [When(choice=key, then=Value(place)) for key, place in known.items()]
    annotations, items, candidates, members, revisions, choices = read_whole_numbers(
        Rating.objects.filter(aspect=aspect.key, annotation__in=Annotation.objects.closed().filter(item__study=study)),
        "annotation_id",
        "annotation__item_id",
        "candidate",
        "annotation__annotator_id",
        "annotation__revision",
        Case(*whens, default=rest, output_field=IntegerField()),
    )
    if (choices == UNKNOWN).any():
        raise LookupError(f"Judgments of “{aspect.key}” have labels that are none of {sorted(known)}.")
    if is_number:
        position_of = positions_of(study, aspect, measure)
        chosen = (str(number) if number else TIE for number in choices.tolist())
        choices = np.array(list(map(position_of, items.tolist(), chosen)), dtype=np.int64)
    codes = units.codes(items, candidates)
    del items, candidates  # a million ratings are 8 MB in each column
    return _Labels(annotations, codes, code_of_member(members), revisions, choices)


def _scores(
    run: ScoringRun | None, aspect: LabelledAspect, annotations: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Value and explanation score of each annotation (NaN where there is none), and whether the run scored it."""
    value, read = np.full(len(annotations), np.nan), np.full(len(annotations), np.nan)
    if run is None:
        return value, read, np.zeros(len(annotations), dtype=np.bool_)
    scores = Score.objects.filter(run=run, aspect=aspect.key)
    keys, values, of_explanations = read_numbers(scores, "annotation_id", "value", "explanation_score")
    order = np.argsort(keys)
    keys = keys[order]
    place = np.searchsorted(keys, annotations)
    known = np.append(keys, np.nan)[place] == annotations
    found = order[place[known]]
    value[known], read[known] = values[found], of_explanations[found]
    return value, read, ~np.isnan(value)


def _explained(study: Study, aspect: LabelledAspect) -> np.ndarray:
    """The closed judgments in which the explanation of this aspect was given."""
    explanations = [r.explained_by for r in study.scheme().rescale if r.aspect == aspect.key]
    if not explanations:
        return np.empty(0, dtype=np.int64)
    closed = Annotation.objects.closed().filter(item__study=study, values__has_key=explanations[0])
    (found,) = read_whole_numbers(closed, "pk")
    return found


def natural_order(name: str) -> tuple[int, str]:
    """Sorts "2" before "10", and numbers before words."""
    return (int(name), "") if name.isdecimal() else (1 << 31, name)
