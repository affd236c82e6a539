"""The finished runs in which a model judged the items, and what people said of the same ones."""

import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.utils.translation import gettext_noop

from annotation_platform.analysis.measuring.aspects import AspectData
from annotation_platform.analysis.measuring.described_run import described
from annotation_platform.analysis.measuring.figures import CountedFigure
from annotation_platform.analysis.measuring.plain import share_of
from annotation_platform.analysis.measuring.snapshot_input import SnapshotInput, StudySection, identity_of
from annotation_platform.analysis.measuring.units import Units, read_units
from annotation_platform.analysis.sections.annotators.measure import why_no_leniency
from annotation_platform.analysis.sections.human_llm.measure import accuracy, alternative
from annotation_platform.analysis.sections.human_llm.section import judged_by
from annotation_platform.analysis.sections.judges.columns import Chosen, Looks, Scaled
from annotation_platform.analysis.sections.judges.figures import Judge, JudgeInstead, Judges
from annotation_platform.analysis.sections.judges.measure import Differences, biases, biases_of_choice, biases_on_scale
from annotation_platform.annotations.models import Annotation, Rating
from annotation_platform.core.arrays import Codes, Flags, Floats
from annotation_platform.core.methods.model_families import are_of_one_family
from annotation_platform.core.reasons import Reason
from annotation_platform.core.schemes import BestOfAspect, ItemChoiceAspect
from annotation_platform.core.schemes.aspects import CHOICE_LETTERS
from annotation_platform.core.statistics import Bootstrap
from annotation_platform.core.statistics.linear_for_others import Said
from annotation_platform.core.statistics.units import unit_of
from annotation_platform.core.text import typed_number
from annotation_platform.scoring.models import GIVING_LABELS, ItemScore, ScoringRun
from annotation_platform.scoring.selectors import run_costs
from annotation_platform.studies.models import Candidate, Item, Study

MOST_JUDGES = 12  # side by side; of more, those that finished last
NO_CHOICE = gettext_noop("Nothing is chosen among answers that the judge sees side by side.")
NOT_ABOUT_ANSWERS = gettext_noop("A question's own choices are not answers.")
NO_COUNTS = gettext_noop("This run has not counted how many of the labels that replies were to give were read.")
NO_TOKENS = gettext_noop("No reply says how many tokens it took.")
NO_REPLIES = gettext_noop("No replies are stored with this run.")
_KANA, _HAN, _LATIN = (re.compile(each) for each in ("[\u3041-\u30ff\uff66-\uff9d]", "[\u3400-\u9fff]", "[A-Za-z]"))

AskedAspect = Scaled | Chosen


@dataclass(frozen=True)
class Read:
    given: SnapshotInput
    runs: tuple[ScoringRun, ...]
    left_out: int


def read(given: SnapshotInput) -> tuple[Read, Any]:
    """The runs that count and the newest, and the families by which systems are the judge's own."""
    found = list(given.study.scoring_runs.finished().filter(method__in=GIVING_LABELS)[: MOST_JUDGES + 1])
    count = given.study.scoring_runs.finished().filter(method__in=GIVING_LABELS).count()
    runs = tuple(found[:MOST_JUDGES])
    families = sorted(given.study.corpus.systems.values_list("name", "family")) if runs else []
    return Read(given, runs, count - len(runs)), [[identity_of(run) for run in runs], families]


def measure(read: Read, bootstrap: Bootstrap) -> Judges:
    """All judges of a study; the intervals are computed and not resampled, but those of advantages."""
    if not read.runs:
        return Judges(judges=(), left_out=0, alike=True)
    study, aspects = read.given.study, read.given.aspects
    units = {per: read_units(study, per=per) for per in ("item", "candidate")}
    looks = {per: looks_of(study, each, per) for per, each in units.items()}
    asked = {key: _asked(study, each, units, looks) for key, each in aspects.items()}
    families = list(study.corpus.systems.values_list("name", "family"))
    names = Counter(_model_of(run) for run in read.runs)
    found, labels = [], []
    for run in read.runs:
        own = [system for system, family in families if are_of_one_family(_model_of(run), system, family)]
        judge, given = _judge(run, aspects, asked, units, sorted(own), bootstrap)
        name = judge.name if names[judge.name] == 1 else f"{judge.name}, run {run.pk}"
        found.append(judge.model_copy(update={"name": name}))
        labels.append(given)
    return Judges(judges=tuple(found), left_out=read.left_out, alike=all(each == labels[0] for each in labels))


def _model_of(run: ScoringRun) -> str:
    return run.parameters.get("model") or f"Run {run.pk}"


Compared = list[tuple[str, int]]


def _judge(
    run: ScoringRun,
    aspects: dict[str, AspectData],
    asked: dict[str, AskedAspect],
    units: dict[str, Units],
    own: list[str],
    bootstrap: Bootstrap,
) -> tuple[Judge, Compared]:
    """A judge, and which labels of it are compared with people's majority: (aspect, unit)."""
    was_asked = set(run.item_scores.values_list("aspect", flat=True).order_by("aspect").distinct())
    found: dict[str, Differences] = {}
    agreement: dict[str, CountedFigure] = {}
    instead: dict[str, JudgeInstead] = {}
    same: list[Flags] = []
    places: list[tuple[Codes, Codes]] = []
    compared: Compared = []
    for key, measured in aspects.items():
        if key not in was_asked:
            continue
        known = units[measured.spec.per]
        judged = judged_by(run, measured, known, bootstrap)
        agreement[key] = accuracy(judged)
        instead[key] = JudgeInstead.of(alternative(judged))
        at = measured.table.units[judged.compared]
        same.append((judged.votes == judged.given)[judged.compared])
        places.append((known.article_of_item[at], known.question_of_item[at]))
        compared += [(key, unit) for unit in at.tolist()]
        of = asked[key]
        if isinstance(of, Scaled):
            found[key] = biases_on_scale(of, _values(run, measured, known), own)
        else:
            found[key] = biases_of_choice(of, _chosen(run, measured, known), own)
    items = run.item_scores.values("item").distinct().count()
    description = described(run)
    assert description is not None
    return (
        Judge(
            name=_model_of(run),
            run=description,
            own_systems=tuple(own),
            items=items,
            all_labels=_of_all(same, places),
            **_bill(run, items),
            aspects=biases(asked, found, agreement, instead),
        ),
        compared,
    )


def _of_all(same: list[Flags], places: list[tuple[Codes, Codes]]) -> CountedFigure:
    """In which share of all labels the judge says what most people say; articles, or else questions, are the units."""
    nothing = gettext_noop("No item has both a majority and a reply.")
    flags = np.concatenate([np.empty(0, np.bool_), *same])
    if not len(flags):
        return share_of(flags, np.empty(0, np.int64), nothing=nothing)
    articles, questions = (np.concatenate(codes) for codes in zip(*places, strict=True))
    rows = np.arange(len(flags))
    return share_of(flags, rows, units=unit_of(articles, questions).of_item, nothing=nothing)


def _bill(run: ScoringRun, items: int) -> dict[str, Any]:
    """What 1,000 items cost, and how many of the labels that replies were to give could not be read."""
    costs = run_costs(run)
    counts = [each for each in run.counts.values() if isinstance(each, dict) and "failure_rate" in each]
    labels = sum(each["labels"] for each in counts)
    is_priced = costs.used is not None and not costs.unknown and items > 0
    tokens = 1_000 * costs.tokens / items if costs.tokens and items else None
    why = NO_REPLIES
    if costs.replies:
        why = Reason("analysis.price_unknown", unknown=costs.unknown, replies=costs.replies)
    return {
        "labels": labels,
        "failure_rate": 1 - sum(each["read"] for each in counts) / labels if labels else None,
        "failure_rate_unknown_because": None if labels else NO_COUNTS,
        "cost": 1_000 * float(costs.used) / items if is_priced and costs.used is not None else None,
        "cost_unknown_because": None if is_priced else why,
        "tokens": tokens,
        "tokens_unknown_because": None if tokens else NO_TOKENS if costs.replies else NO_REPLIES,
    }


def _asked(study: Study, measured: AspectData, units: dict[str, Units], looks: dict[str, Looks]) -> AskedAspect:
    aspect = study.scheme().aspect(measured.spec.key)
    if isinstance(aspect, BestOfAspect | ItemChoiceAspect):
        return _choices(study, measured, units, looks, of_answers=isinstance(aspect, BestOfAspect))
    return _scaled(measured, looks[measured.spec.per])


def _scaled(measured: AspectData, looks: Looks) -> Scaled:
    table, spec = measured.table, measured.spec
    numbers, has_end = spec.numbers, spec.better is not None
    span = float(np.nanmax(numbers) - np.nanmin(numbers)) if not np.isnan(numbers).all() else 0.0
    reason = None
    if not span or not (spec.is_ordered or spec.best is not None):
        reason = why_no_leniency(is_ordered=spec.is_ordered)
    given = numbers[table.choices]
    rated = ~np.isnan(given)
    n = np.bincount(table.items[rated], minlength=len(table.units))
    total = np.bincount(table.items[rated], weights=given[rated], minlength=len(table.units))
    return Scaled(
        measured="worth" if has_end else "number",
        span=span or None,
        people=np.where(n > 0, total / np.maximum(n, 1), np.nan) * _unit(measured),
        groups=table.unit.of_item,
        questions=table.question_of_item,
        looks=looks.of(table.units),
        reason=reason,
        place=NO_CHOICE,
        said=Said.of(table.items, table.raters, given * _unit(measured)),
    )


def _unit(measured: AspectData) -> float:
    """What a step of the scale's numbers is: a share of its length, towards its better end."""
    numbers = measured.spec.numbers[~np.isnan(measured.spec.numbers)]
    length = float(np.ptp(numbers)) if len(numbers) else 0.0
    return (-1 if measured.spec.better == "low" else 1) / length if length else np.nan


def _values(run: ScoringRun, measured: AspectData, units: Units) -> Floats:
    """The judge's value of each of the aspect's units: the number of its label, or the mean of its repetitions."""
    table, spec = measured.table, measured.spec
    number_of = {label.key: label.number for label in spec.labels}
    place = {unit: code for code, unit in enumerate(table.units.tolist())}
    found = np.full(len(table.units), np.nan)
    scores = ItemScore.objects.filter(run=run, aspect=spec.key).order_by()
    for item, candidate, label, value in scores.values_list("item_id", "candidate", "label", "value").iterator(10_000):
        code = place.get(units.code_of.get((item, candidate), -1))
        number = number_of.get(label) if value is None else value
        if code is not None and number is not None:
            found[code] = number
    return found * _unit(measured)


def _choices(
    study: Study, measured: AspectData, units: dict[str, Units], looks: dict[str, Looks], *, of_answers: bool
) -> Chosen:
    """What people chose of each item, place by place as the judge was shown them."""
    table = measured.table
    item_of = {code: item for (item, number), code in units["item"].code_of.items()}
    items = [item_of[unit] for unit in table.units.tolist()]
    sizes = _sizes(study, of_answers=of_answers)
    k = np.array([max(sizes.get(item, 1), 1) for item in items], dtype=np.int64)
    row_of = {item: row for row, item in enumerate(items)}
    shares = np.zeros((len(items), int(k.max(initial=1))))
    closed = Annotation.objects.closed().filter(item__study=study)
    people = np.zeros(len(items))
    chosen = Rating.objects.filter(aspect=measured.spec.key, annotation__in=closed).order_by()
    votes: list[tuple[int, int, int]] = []
    for item, annotator, choice in chosen.values_list(
        "annotation__item_id", "annotation__annotator_id", "choice"
    ).iterator(10_000):
        if (row := row_of.get(item)) is None:
            continue
        people[row] += 1
        place = _place(choice, of_answers=of_answers)
        votes.append((row, annotator, place if 0 < place <= k[row] else 0))
        if 0 < place <= k[row]:
            shares[row, place - 1] += 1
        else:
            shares[row, : k[row]] += 1 / k[row]
    shares = np.where(people[:, None] > 0, shares / np.maximum(people, 1)[:, None], np.nan)
    rows, places = np.nonzero(np.arange(shares.shape[1]) < k[:, None])
    at = None
    if of_answers:
        code_of = units["candidate"].code_of
        codes = [code_of[items[one], number + 1] for one, number in zip(rows.tolist(), places.tolist(), strict=True)]
        at = np.array(codes, dtype=np.int64)
    return Chosen(
        shares=shares,
        sizes=k,
        groups=table.unit.of_item,
        questions=table.question_of_item,
        looks=None if at is None else looks["candidate"].of(at),
        reason=NOT_ABOUT_ANSWERS,
        votes=Said.of(*np.array(votes, dtype=np.int64).reshape(-1, 3).T),
    )


def _sizes(study: Study, *, of_answers: bool) -> dict[int, int]:
    if of_answers:
        return Counter(Candidate.objects.filter(study=study).values_list("item_id", flat=True).iterator(10_000))
    choices = Item.objects.filter(study=study).values_list("pk", "question__choices").iterator(10_000)
    return {item: len(each) for item, each in choices}


def _place(choice: str, *, of_answers: bool) -> int:
    """From 1; 0 for a tie and for none of them."""
    if of_answers:
        return typed_number(choice) or 0
    return CHOICE_LETTERS.index(choice) + 1 if choice in CHOICE_LETTERS else 0


def _chosen(run: ScoringRun, measured: AspectData, units: Units) -> Floats:
    """The place that the judge chose of each of the aspect's items."""
    of_answers = isinstance(run.study.scheme().aspect(measured.spec.key), BestOfAspect)
    place = {unit: code for code, unit in enumerate(measured.table.units.tolist())}
    found = np.full(len(place), np.nan)
    scores = ItemScore.objects.filter(run=run, aspect=measured.spec.key).exclude(label="").order_by()
    for item, label in scores.values_list("item_id", "label").iterator(10_000):
        if (code := place.get(units.code_of.get((item, 0), -1))) is not None:
            found[code] = _place(label, of_answers=of_answers)
    return found


def looks_of(study: Study, units: Units, per: str) -> Looks:
    """How long the answers are and in which letters; a group of answers as a whole has no length."""
    scheme = study.scheme()
    is_shown = bool({"answer", "candidates"} & scheme.parts.keys()), "rationale" in scheme.parts
    is_one = any(is_shown) and (per == "candidate" or not scheme.judges_candidates)
    characters = np.full(len(units.code_of), np.nan)
    kana, han, latin = letters = np.zeros((3, len(characters)))
    rows = Candidate.objects.filter(study=study).order_by("pk")
    for item, number, question, *texts in rows.values_list(
        "item_id", "number", "item__question__text", "answer__text", "answer__rationale"
    ).iterator(1_000):
        code = units.code_of[item, number if per == "candidate" else 0]
        judged = [text.strip() for text, shown in zip(texts, is_shown, strict=True) if shown]
        if is_one:
            characters[code] = sum(map(len, judged))
        every = " ".join([question, *judged])
        letters[:, code] += [len(each.findall(every)) for each in (_KANA, _HAN, _LATIN)]
    # Chinese characters alone are no Japanese; with kana they count as such.
    is_japanese, is_latin = (kana > 0) & (kana + han > latin), latin > kana + han
    japanese = np.where(is_japanese, 1.0, np.where(is_latin, 0.0, np.nan))
    return Looks(characters, japanese, units.system_of_item, units.systems)


STUDY_SECTIONS = {"judges": StudySection(read, measure)}
