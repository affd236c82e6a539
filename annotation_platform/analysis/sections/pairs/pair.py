"""Two annotators side by side: every item that both judged, as labelled and as rescaled."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import urlencode

from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from annotation_platform.analysis.measuring.figures import AspectHead
from annotation_platform.analysis.models import AgreementSnapshot
from annotation_platform.analysis.sections.pairs.figures import PAIRS_ALL, PAIRS_COHEN_KAPPA, PairKappa, PairTau
from annotation_platform.analysis.sections.pairs.table_rows import JoinedRow
from annotation_platform.analysis.snapshots.stored import closed_batches
from annotation_platform.analysis.tables.base import Column, FigureTable
from annotation_platform.analysis.tables.request import TableRequest
from annotation_platform.annotations.models import Annotation, Rating
from annotation_platform.core.errors import NotThereError
from annotation_platform.core.schemes import BestOfAspect
from annotation_platform.core.schemes.aspects import TIE
from annotation_platform.scoring.models import Score
from annotation_platform.studies.models import FINISHED_STATES, Assignment, Candidate, Item, Member

MOST_CHARACTERS = 80  # of a question
MOST_ITEMS = 500  # of a pair are shown; the export has them all


def pairs_of(asked: TableRequest) -> Sequence[PairTau | PairKappa]:
    """Every pair of annotators that share an item."""
    if asked.head.is_nominal:
        kappas = asked.section(PAIRS_COHEN_KAPPA)
        return kappas
    taus = asked.section(PAIRS_ALL)
    return taus


def chosen_pair(asked: TableRequest) -> tuple[str, str]:
    """The pair asked for as ``first~second``, either first; else the one whose τ changes most, of all or of one person.

    Raises
    ------
    NotThereError
        When the snapshot has no such pair.
    """
    pairs = pairs_of(asked)
    if one := asked.parameters.get("of", ""):
        pairs = [pair for pair in pairs if one in pair.annotators]
    for first, second in (pair.annotators for pair in pairs):
        if asked.pair in (f"{first}~{second}", f"{second}~{first}"):
            return first, second
    if pairs and (one or not asked.pair):
        return max(pairs, key=_most_changed).annotators
    raise NotThereError("analysis.no_pair")


def _most_changed(pair: PairTau | PairKappa) -> tuple[bool, float, int]:
    change = pair.change if isinstance(pair, PairTau) else None
    return change is not None, abs(change or 0.0), pair.n


def annotators_in_pairs(asked: TableRequest) -> list[str]:
    return sorted({name for pair in pairs_of(asked) for name in pair.annotators})


@dataclass(frozen=True)
class Partner:
    """With whom an annotator shares items: the ``pair`` as it is asked for, and how many judgments they share."""

    pair: str
    other: str
    n: int


def partners(asked: TableRequest, one: str) -> list[Partner]:
    """Whom an annotator shares items with."""
    found = []
    for pair in pairs_of(asked):
        if one in pair.annotators:
            (other,) = (name for name in pair.annotators if name != one)
            found.append(Partner(f"{one}~{other}", other, pair.n))
    return sorted(found, key=lambda each: each.other)


def _shared_items(snapshot: AgreementSnapshot, pair: tuple[str, str]) -> list[int]:
    """Keys of the first items of the snapshot's batches that both had before them; by their places, which are few.

    The batches that have closed since are left out: they are fewer than those that are named in the snapshot.
    """
    since = set(closed_batches(snapshot.study)) - set(snapshot.head.batches)
    members = dict(Member.objects.filter(study=snapshot.study_id, pseudonym__in=pair).values_list("pseudonym", "pk"))
    one, other = (Assignment.objects.filter(annotator=members[name]) for name in pair)
    shared = one.filter(hit__in=other.values("hit"), hit__batch__state__in=FINISHED_STATES)
    shared = shared.exclude(hit__batch__number__in=since)
    hits = list(shared.order_by("hit").values_list("hit", flat=True).distinct()[:MOST_ITEMS])
    return list(Item.objects.filter(hit__in=hits).order_by("hit", "pk").values_list("pk", flat=True)[:MOST_ITEMS])


def _label_of(snapshot: AgreementSnapshot, aspect: AspectHead, items: Iterable[int]) -> Callable[[int, str], str]:
    """Which label a choice is on an item; of the best of a group it is the system whose answer that is."""
    labels = {label.key: label.label for label in aspect.labels}
    best_of = {each.key for each in snapshot.study.scheme().aspects if isinstance(each, BestOfAspect)}
    if aspect.aspect not in best_of:
        return lambda item, choice: labels[choice]
    candidates = Candidate.objects.filter(item__in=set(items))
    rows = candidates.values_list("item_id", "number", "answer__system__name")
    system_of = {(item, str(number)): system for item, number, system in rows}
    return lambda item, choice: TIE if choice == TIE else system_of[item, choice]


AS_LABELLED = {
    "pair-raw": gettext_noop(
        "As labelled; on the dashed line both gave the same label. The larger a dot, the more items."
    )
}
AS_RESCALED = {
    "pair-rescaled": gettext_noop("As rescaled; on the dashed line both have the same score."),
    "pair-labels": gettext_noop(
        "Which scores the explanations behind each label gave; the larger a dot, the more of them."
    ),
}


def pair_table(asked: TableRequest) -> FigureTable | None:
    """The joined judgments of two annotators: labels, numbers and the scores of the snapshot's run.

    None where no two annotators judged the same item.
    """
    pairs = pairs_of(asked)
    if not pairs:
        return None
    pair = chosen_pair(asked)
    rows, is_scored = _joined_judgments(asked, pair)
    n = next(each.n for each in pairs if each.annotators == pair)
    first, second = pair
    of_scores = [
        Column(f"score_{side}", _("Score of {name}").format(name=name), "score")
        for side, name in zip("ab", pair, strict=True)
    ]
    captions = AS_LABELLED | (AS_RESCALED if is_scored else {})
    return FigureTable(
        name="pair",
        title=_("Annotators {first} and {second}").format(first=first, second=second),
        reading=_reading(pair, rows, n),
        columns=[
            Column("item", _("Item"), "count"),
            Column("question", _("Question")),
            *([Column("system", _("System"))] if any(row.system for row in rows) else []),
            Column("label_a", _("Label of {name}").format(name=first)),
            *(of_scores[:1] if is_scored else []),
            Column("label_b", _("Label of {name}").format(name=second)),
            *(of_scores[1:] if is_scored else []),
        ],
        rows=rows,
        charts={key: _(text) for key, text in captions.items()} if rows else {},
        meta={
            "labels": asked.head.labels,
            "pair": list(pair),
            "query": f"?{urlencode({'pair': '~'.join(pair)})}",
        },
    )


class Given(NamedTuple):
    """What an annotator gave to an item or a candidate."""

    label: str
    score: float | None


def _joined_judgments(asked: TableRequest, pair: tuple[str, str]) -> tuple[list[JoinedRow], bool]:
    """What both judged, in rows; and whether they have scores."""
    snapshot, aspect = asked.snapshot, asked.head
    closed = Annotation.objects.closed().filter(
        item__in=_shared_items(snapshot, pair), annotator__study=snapshot.study_id, annotator__pseudonym__in=pair
    )
    ratings = list(
        Rating.objects.filter(aspect=aspect.aspect, annotation__in=closed)
        .order_by("annotation__item_id", "annotation_id")
        .values_list("annotation_id", "annotation__item_id", "candidate", "annotation__annotator__pseudonym", "choice")
    )
    scores: dict[int, float] = {}
    if snapshot.run_id is not None and aspect.is_rescaled:
        scored = Score.objects.filter(run=snapshot.run_id, aspect=aspect.aspect, annotation__in=closed)
        scores = dict(scored.values_list("annotation_id", "value"))
        ratings = [row for row in ratings if row[0] in scores]
    label_of = _label_of(snapshot, aspect, (row[1] for row in ratings))
    by_unit: dict[tuple[int, int], dict[str, list[Given]]] = defaultdict(lambda: {name: [] for name in pair})
    for pk, item, candidate, name, choice in ratings:
        by_unit[item, candidate][name].append(Given(label_of(item, choice), scores.get(pk)))
    about = _about(by_unit)
    rows = [
        JoinedRow(
            item=item,
            question=about[item, candidate].question,
            system=about[item, candidate].system,
            candidate=candidate or None,
            label_a=a.label,
            score_a=a.score,
            label_b=b.label,
            score_b=b.score,
        )
        for (item, candidate), sides in by_unit.items()
        for a in sides[pair[0]]
        for b in sides[pair[1]]
    ]
    return rows, bool(scores)


class About(NamedTuple):
    """The question of an item, and whose answer it is about; the latter blank where it is about a whole group."""

    question: str
    system: str


def _about(units: Collection[tuple[int, int]]) -> dict[tuple[int, int], About]:
    """What each item, or each candidate of it, is about."""
    texts: dict[int, str] = {}
    of_item: dict[int, dict[int, str]] = defaultdict(dict)
    named = Candidate.objects.filter(item__in={item for item, _ in units})
    for item, number, system, text in named.values_list(
        "item_id", "number", "answer__system__name", "item__question__text"
    ):
        texts[item], of_item[item][number] = text, system
    excerpts = {
        item: text if len(text) <= MOST_CHARACTERS else Truncator(text).chars(MOST_CHARACTERS)
        for item, text in texts.items()
    }
    return {
        (item, candidate): About(
            question=excerpts[item],
            system=of_item[item].get(candidate or 1, "") if candidate or len(of_item[item]) == 1 else "",
        )
        for item, candidate in units
    }


def _reading(pair: tuple[str, str], rows: list[JoinedRow], n: int) -> str:
    """What the rows say in a sentence, of n judgments that both made."""
    same_label = sum(row.label_a == row.label_b for row in rows)
    if len(rows) < n:
        said = _(
            "Annotators {first} and {second} judged the same answer {n:,} times; these are the first {shown}, and they "
            "gave the same label in {same} of them."
        )
    else:
        said = ngettext(
            "Annotators {first} and {second} judged the same answer once and gave the same label in {same} of them.",
            "Annotators {first} and {second} judged the same answer {n:,} times and gave the same label in {same} of "
            "them.",
            n,
        )
    return said.format(first=pair[0], second=pair[1], n=n, shown=len(rows), same=same_label)
