"""The closed judgments of a study as arrays: read once, in an order that is the same on every machine."""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from django.db.models import Case, IntegerField, Value, When
from django.db.models.functions import Cast

from annotation_platform.analysis.measuring.columns import read_numbers
from annotation_platform.analysis.measuring.judgment_table import AspectSpec, JudgmentTable, MeasuredLabel
from annotation_platform.annotations.models import Annotation, Rating
from annotation_platform.core.arrays import Codes
from annotation_platform.core.schemes import BestOfAspect, LabelledAspect, Level, RatedAspect
from annotation_platform.core.schemes.aspects import TIE
from annotation_platform.core.statistics.units import Unit, unit_of
from annotation_platform.corpus.models import NO_DOCUMENT, Question
from annotation_platform.scoring.models import Score, ScoringRun
from annotation_platform.studies.models import Candidate, Study


@dataclass(frozen=True)
class Units:
    """The judged units of a study in the order of their external names, and what they have in common.

    ``keys`` has item and candidate of each unit; candidate 0 is the item as a whole. Items that are groups have no
    system: its name is empty.
    """

    keys: Codes  # (units, 2)
    systems: tuple[str, ...]
    system_of_item: np.ndarray
    sources: tuple[str, ...]
    source_of_item: np.ndarray
    question_of_item: np.ndarray
    article_of_item: np.ndarray
    families: dict[str, tuple[int, ...]]
    digest: str

    @cached_property
    def code_of(self) -> dict[tuple[int, int], int]:
        """Each unit's code by (item, candidate)."""
        return {(item, candidate): code for code, (item, candidate) in enumerate(self.keys.tolist())}

    def codes(self, items: Codes, candidates: Codes | int = 0) -> Codes:
        """Of units that are there, by item and candidate."""
        found: Codes = self._order[np.searchsorted(self._ordered, items * self._width + candidates)]
        return found

    @cached_property
    def _width(self) -> int:
        return int(self.keys[:, 1].max(initial=0)) + 1

    @cached_property
    def _order(self) -> Codes:
        return np.argsort(self.keys[:, 0] * self._width + self.keys[:, 1])

    @cached_property
    def _ordered(self) -> Codes:
        ordered: Codes = (self.keys[:, 0] * self._width + self.keys[:, 1])[self._order]
        return ordered

    def unit_of(self, among: np.ndarray) -> Unit:
        """What figures about these of them speak for."""
        return unit_of(self.article_of_item[among], self.question_of_item[among])


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


def read_units(study: Study, *, per: str) -> Units:
    """The study's items, or with ``per="candidate"`` their candidates."""
    is_whole = per == "item" and study.scheme().judges_candidates
    rows = sorted(
        {
            (article, question, "" if is_whole else system, source, item, number if per == "candidate" else 0)
            for article, question, system, source, item, number in Candidate.objects.filter(study=study).values_list(
                "item__question__article__external_id",
                "item__question__external_id",
                "answer__system__name",
                "item__question__article__source",
                "item_id",
                "number",
            )
        }
    )
    systems, system_of_item = np.unique([row[2] for row in rows] or np.empty(0, "U1"), return_inverse=True)
    sources, source_of_item = np.unique([row[3] for row in rows] or np.empty(0, "U1"), return_inverse=True)
    questions, articles = _questions_and_articles(study, [row[:2] for row in rows])
    families = _families(study, tuple(map(str, systems)))
    return Units(
        keys=np.array([row[4:] for row in rows], dtype=np.int64).reshape(-1, 2),
        systems=tuple(map(str, systems)),
        system_of_item=system_of_item,
        sources=tuple(map(str, sources)),
        source_of_item=source_of_item,
        question_of_item=questions,
        article_of_item=articles,
        families=families,
        digest=digest(
            *("\x1f".join(row[:4]).encode() for row in rows), *(str(one).encode() for one in families.items())
        ),
    )


def _questions_and_articles(study: Study, rows: list[tuple[str, str]]) -> tuple[np.ndarray, np.ndarray]:
    """Codes of question and of article, from (article, question); questions about no document share no article."""
    about_none = study.corpus.articles.filter(external_id=NO_DOCUMENT, title="", sentence_count=0).exists()
    articles = [row if about_none and row[0] == NO_DOCUMENT else row[:1] for row in rows]
    return _codes(rows), _codes(articles)


def _codes(ordered: Sequence[tuple[str, ...]]) -> np.ndarray:
    """Of each name its place among the different ones; equal ones come one after the other."""
    is_new = [name != before for before, name in pairwise(ordered)]
    return np.cumsum([False, *is_new], dtype=np.int64)[: len(ordered)]


def _families(study: Study, systems: tuple[str, ...]) -> dict[str, tuple[int, ...]]:
    """Where the systems of each family stand among these; one alone is no family."""
    found: dict[str, list[int]] = defaultdict(list)
    named = study.corpus.systems.exclude(family="").order_by("family", "name")
    for family, system in named.values_list("family", "name"):
        if system in systems:
            found[family].append(systems.index(system))
    return {family: tuple(codes) for family, codes in found.items() if len(codes) > 1}


class Digests(NamedTuple):
    """Of the labels, and of which judgments the run covers; and of these with the run's scores."""

    labels: str
    scored: str


@dataclass(frozen=True, eq=False)
class ClosedJudgments:
    """The closed judgments of one aspect in the order of items and annotators, before any run's scores."""

    study: Study
    aspect: LabelledAspect
    units: Units
    annotators: tuple[str, ...]
    rows: np.ndarray
    """Columns: annotation, unit, annotator, revision, label."""
    explained: np.ndarray

    def with_scores(self, run: ScoringRun | None) -> tuple[JudgmentTable, Digests]:
        """The table of them with the scores of ``run``, and digests of what it is made of.

        With a run, judgments that it does not cover are counted but left out, so that raw and rescaled figures
        are about the very same judgments.
        """
        no_scores_because = None
        if not _is_rescaled(self.study, self.aspect):
            run, no_scores_because = None, "The scheme does not rescale this aspect."
        elif run is None:
            no_scores_because = "No scoring run has finished yet."
        rows, explained, units = self.rows, self.explained, self.units
        scores, read, covered = _scores(run, self.aspect, rows[:, 0])
        if run is None:
            covered = np.ones_like(covered)
        labels = self._digest(rows, explained, covered)
        unscored = int((~covered).sum())
        if unscored:
            rows, explained, scores, read = rows[covered], explained[covered], scores[covered], read[covered]
        # Items that nobody has judged yet are not there to be drawn when items are resampled.
        judged, item_codes = np.unique(rows[:, 1], return_inverse=True)
        table = JudgmentTable(
            annotations=rows[:, 0],
            items=item_codes,
            raters=rows[:, 2],
            choices=rows[:, 4],
            explained=explained,
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
        return table, Digests(
            labels, labels if run is None else digest(labels.encode(), scores.tobytes(), read.tobytes())
        )

    def _digest(self, rows: np.ndarray, explained: np.ndarray, covered: np.ndarray) -> str:
        names = "\x1f".join(self.annotators).encode()
        columns = np.ascontiguousarray(rows[:, 1:]).tobytes(), explained.tobytes(), covered.tobytes()
        return digest(self.units.digest.encode(), names, self.aspect.key.encode(), *columns)


def read_judgments(study: Study, aspect: LabelledAspect, measure: AspectSpec, units: Units) -> ClosedJudgments:
    """The closed judgments of one aspect; what runs make of them is asked of the result."""
    names = dict(study.members.filter(annotations__is_check=False).distinct().values_list("pk", "pseudonym"))
    annotators = tuple(sorted(names.values(), key=natural_order))
    members = np.array(sorted(names), dtype=np.int64)
    code_of_member = np.array([annotators.index(names[pk]) for pk in members.tolist()], dtype=np.int64)
    found = _ratings(study, aspect, measure)
    rows = np.column_stack(
        (
            found.annotations,
            units.codes(found.items, found.candidates),
            code_of_member[np.searchsorted(members, found.annotators)],
            found.revisions,
            found.positions,
        )
    )
    rows = rows[np.lexsort((rows[:, 0], rows[:, 2], rows[:, 1]))]
    explained = np.isin(rows[:, 0], _explained(study, aspect))
    return ClosedJudgments(study, aspect, units, annotators, rows, explained)


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
    """Ratings of an aspect: whose they are, and which label as its position in the measure."""

    annotations: Codes
    items: Codes
    candidates: Codes
    annotators: Codes
    revisions: Codes
    positions: Codes


def _ratings(study: Study, aspect: LabelledAspect, measure: AspectSpec) -> _Labels:
    # Of candidates, the number is read and then looked up, for it is another system on each item.
    is_number = isinstance(aspect, BestOfAspect)
    known = {TIE: 0} if is_number else {label.key: place for place, label in enumerate(measure.labels)}
    rest = Cast("choice", IntegerField()) if is_number else None
    whens = [When(choice=key, then=Value(place)) for key, place in known.items()]
    found = read_numbers(
        Rating.objects.filter(aspect=aspect.key, annotation__in=Annotation.objects.closed().filter(item__study=study)),
        "annotation_id",
        "annotation__item_id",
        "candidate",
        "annotation__annotator_id",
        "annotation__revision",
        Case(*whens, default=rest, output_field=IntegerField()),
    )
    if np.isnan(found[-1]).any():
        raise LookupError(f"Judgments of “{aspect.key}” have labels that are none of {sorted(known)}.")
    labels = _Labels(*found.astype(np.int64))
    if not is_number:
        return labels
    position_of = positions_of(study, aspect, measure)
    choices = (str(number) if number else TIE for number in labels.positions.tolist())
    positions = list(map(position_of, labels.items.tolist(), choices))
    return labels._replace(positions=np.array(positions, dtype=np.int64))


def _scores(
    run: ScoringRun | None, aspect: LabelledAspect, annotations: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Value and f of each annotation (NaN where there is none), and whether the run scored it."""
    value, f = np.full(len(annotations), np.nan), np.full(len(annotations), np.nan)
    if run is None:
        return value, f, np.zeros(len(annotations), dtype=np.bool_)
    scores = Score.objects.filter(run=run, aspect=aspect.key)
    keys, values, of_explanations = read_numbers(scores, "annotation_id", "value", "explanation_score")
    order = np.argsort(keys)
    keys = keys[order]
    place = np.searchsorted(keys, annotations)
    known = np.append(keys, np.nan)[place] == annotations
    found = order[place[known]]
    value[known], f[known] = values[found], of_explanations[found]
    return value, f, ~np.isnan(value)


def _explained(study: Study, aspect: LabelledAspect) -> np.ndarray:
    """The closed judgments in which the explanation of this aspect was given."""
    explanations = [r.explained_by for r in study.scheme().rescale if r.aspect == aspect.key]
    if not explanations:
        return np.empty(0, dtype=np.int64)
    closed = Annotation.objects.closed().filter(item__study=study, values__has_key=explanations[0])
    (keys,) = read_numbers(closed, "pk")
    found: np.ndarray = keys.astype(np.int64)
    return found


def natural_order(name: str) -> tuple[int, str]:
    """Sorts "2" before "10", and numbers before words."""
    return (int(name), "") if name.isdecimal() else (1 << 31, name)


def digest(*parts: bytes) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()
