"""The explorer: items found by what people and judges made of them, a page of them at a time.

All that is asked stands in the address. Which items, and in which order, is decided on the rows that the worker
wrote (``exploring``); texts are read only of the items that are shown.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from django.db.models import Avg, Count, Exists, OuterRef, Prefetch, Q, QuerySet
from django.utils.translation import gettext_lazy as _

from annotation_platform.analysis.explorer.keyset import KeysetPage, Order, keyset_page, read_mark
from annotation_platform.analysis.explorer.labels import labels_of, main_aspect
from annotation_platform.analysis.explorer.text_search import items_of_theme, items_saying
from annotation_platform.analysis.explorer.words import MOST, plain_letters, questions_with
from annotation_platform.analysis.models import AgreementPattern, ItemFigures, ItemFlag
from annotation_platform.annotations.models import Annotation, Rating
from annotation_platform.core.schemes import LabelledAspect, RatedAspect
from annotation_platform.corpus.models import System
from annotation_platform.scoring.models import Score
from annotation_platform.scoring.selectors import latest_run
from annotation_platform.server.compiled_queries import CompiledQuery
from annotation_platform.studies.models import Candidate, Item, Member, Role, Study

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

ITEMS_PER_PAGE = 25
COUNTED = 100  # beyond that it is "more than": counting further would cost more than the page

SORTS: dict[str, tuple[str, bool]] = {
    "raw": ("raw_disagreement", True),
    "rescaled": ("rescaled_disagreement", True),
    "gap": ("judge_gap", True),
    "low": ("mean", False),
    "high": ("mean", True),
}
SORT_NAMES: dict[str, "StrOrPromise"] = {
    "": _("the list's own order"),
    "raw": _("raw disagreement, most first"),
    "rescaled": _("rescaled disagreement, most first"),
    "gap": _("distance of judge and people, most first"),
    "low": _("mean, lowest first"),
    "high": _("mean, highest first"),
}
FLAG_NAMES: dict[str, "StrOrPromise"] = dict(ItemFlag.Flag.choices)


@dataclass(frozen=True)
class ItemSearch:
    """What is looked for; empty is everything. ``after`` and ``before`` are marks of a page."""

    q: str = ""
    said: str = ""
    aspect: str = ""
    label: str = ""
    theme: str = ""
    system: str = ""
    annotator: str = ""
    flag: str = ""
    seen: str = ""
    sort: str = ""
    after: str = ""
    before: str = ""

    @property
    def query(self) -> dict[str, str]:
        """What is said in an address, without the page."""
        names = ("q", "said", "aspect", "label", "theme", "system", "annotator", "flag", "seen", "sort")
        return {name: value for name in names if (value := getattr(self, name))}

    @property
    def narrows(self) -> bool:
        return any(value for name, value in self.query.items() if name != "aspect")


@dataclass(frozen=True)
class Choices:
    """What the explorer's fields offer."""

    aspects: list[tuple[str, str]]
    systems: list[tuple[int, str]]
    annotators: list[tuple[int, str]]
    seen: list[tuple[str, "StrOrPromise"]] = field(default_factory=lambda: list(AgreementPattern.choices))
    flags: list[tuple[str, "StrOrPromise"]] = field(default_factory=lambda: list(ItemFlag.Flag.choices))
    sorts: list[tuple[str, "StrOrPromise"]] = field(default_factory=lambda: list(SORT_NAMES.items()))


@dataclass(frozen=True)
class ListedItem:
    """A line of the list: who labelled how, best label first, and what is known of the item."""

    item: Item
    labels: list[tuple[str, int]]
    mean_score: float | None
    figures: ItemFigures | None
    judge_label: str
    flags: list[str]

    @property
    def flags_in_words(self) -> list["StrOrPromise"]:
        return [FLAG_NAMES[flag] for flag in self.flags]


@dataclass(frozen=True)
class ItemPage:
    """A page of the explorer. ``count`` is None when there are more than `COUNTED`.

    ``too_common`` is the word of which only the first `MOST` questions were looked through; ``is_said_often`` that
    more explanations than the first `MOST` have the word that was said. ``theme`` are the words of the theme asked for.
    """

    page: KeysetPage
    listed: list[ListedItem]
    count: int | None
    aspect: LabelledAspect | None
    too_common: str = ""
    is_said_often: bool = False
    theme: tuple[str, ...] = ()

    @property
    def labels(self) -> list[tuple[str, str]]:
        """The labels to choose from, where all items have the same."""
        return (
            [(each.key, each.label) for each in self.aspect.scale.choices]
            if isinstance(self.aspect, RatedAspect)
            else []
        )

    @property
    def counted(self) -> int:
        return COUNTED

    @property
    def followed(self) -> int:
        return MOST


_SYSTEMS = CompiledQuery(lambda corpus: System.objects.filter(corpus=corpus).order_by("name").values_list("pk", "name"))
_ANNOTATORS = CompiledQuery(
    lambda study: (
        Member.objects.filter(study=study, role=Role.ANNOTATOR).order_by("pseudonym").values_list("pk", "pseudonym")
    )
)


def choices_of(study: Study) -> Choices:
    return Choices(
        aspects=[(aspect.key, aspect.title) for aspect in study.scheme().labelled_aspects],
        systems=[(pk, name) for pk, name in _SYSTEMS.rows(study.corpus_id)],
        annotators=[(pk, pseudonym) for pk, pseudonym in _ANNOTATORS.rows(study.pk)],
    )


def is_mark(asked: ItemSearch) -> bool:
    """Whether ``after`` is a mark of a page in the order that is asked for; a page takes any other as none."""
    return read_mark(asked.after, _order(asked)) is not None


def find_items(study: Study, asked: ItemSearch, choices: Choices, *, size: int = ITEMS_PER_PAGE) -> ItemPage:
    """The page that was asked for, of so many items."""
    scheme = study.scheme()
    aspect = next((each for each in scheme.labelled_aspects if each.key == asked.aspect), main_aspect(scheme))
    order = _order(asked)
    rows: QuerySet[Any] = Item.objects.filter(study=study)
    conditions, too_common = _conditions(study, asked, choices)
    written = _written(study, asked, choices, aspect)
    matching = _having([*conditions, *written.conditions])
    if order.key != "pk":
        rows = ItemFigures.objects.filter(study=study, aspect=aspect.key if aspect else "")
        if asked.seen in AgreementPattern.values:
            rows = rows.filter(seen=asked.seen)
        rows = rows.filter(**{f"{order.field}__isnull": False})
    if matching is not None:
        rows = rows.filter(**{f"{order.key.removesuffix('_id')}__in": matching})
    page = keyset_page(rows, order, after=asked.after, before=asked.before, size=size)
    count = rows.order_by()[: COUNTED + 1].count()
    listed = _listed(study, page.keys, aspect)
    return ItemPage(
        page,
        listed,
        None if count > COUNTED else count,
        aspect,
        too_common,
        is_said_often=written.is_said_often,
        theme=written.theme,
    )


def _order(asked: ItemSearch) -> Order:
    if asked.sort in SORTS:
        name, descending = SORTS[asked.sort]
        return Order("item_id", name, descending)
    if asked.seen in AgreementPattern.values:
        return Order("item_id", "contrast", descending=True)
    return Order("pk")


def _conditions(study: Study, asked: ItemSearch, choices: Choices) -> tuple[list[Q], str]:
    """That an item has the words, the system, the annotator and the flag asked for.

    With the word, if any, that is too common to be looked for everywhere.
    """
    conditions, too_common = _have_words(study, asked.q.split(), choices)
    if asked.system:
        of_system = [pk for pk, name in choices.systems if name == asked.system]
        conditions.append(_has_system(of_system))
    if asked.annotator:
        judged = Annotation.objects.current().filter(item=OuterRef("pk"), annotator__in=_members(asked, choices))
        conditions.append(Q(Exists(judged)))
    if asked.flag in FLAG_NAMES:
        conditions.append(Q(pk__in=ItemFlag.objects.filter(study=study, flag=asked.flag).values("item")))
    return conditions, too_common


def _having(conditions: list[Q]) -> QuerySet[Any] | None:
    """The items of which all this is true; None when nothing is asked."""
    if not conditions:
        return None
    found = Item.objects.order_by()
    for condition in conditions:
        found = found.filter(condition)
    return found.values("pk")


def _members(asked: ItemSearch, choices: Choices) -> list[int]:
    return [pk for pk, name in choices.annotators if name == asked.annotator]


@dataclass(frozen=True)
class _Written:
    """What is asked of judgments: their label, what they say, and about which theme."""

    conditions: list[Q] = field(default_factory=list)
    is_said_often: bool = False
    theme: tuple[str, ...] = ()


def _written(study: Study, asked: ItemSearch, choices: Choices, aspect: LabelledAspect | None) -> _Written:
    conditions: list[Q] = []
    is_said_often = False
    theme: tuple[str, ...] = ()
    annotators = _members(asked, choices) if asked.annotator else None
    if asked.said:
        said = items_saying(study, asked.said, aspect=aspect, label=asked.label, annotators=annotators)
        is_said_often = said.too_common
        conditions.append(Q(pk__in=said.keys))
    elif asked.label and aspect is not None:
        given = Rating.objects.filter(annotation__item=OuterRef("pk"), annotation__is_current=True)
        if annotators is not None:
            given = given.filter(annotation__annotator__in=annotators)
        conditions.append(Q(Exists(given.filter(aspect=aspect.key, choice=asked.label))))
    if asked.theme:
        keys, theme = items_of_theme(study, asked.theme)
        conditions.append(Q(pk__in=keys))
    return _Written(conditions, is_said_often, theme)


def _have_words(study: Study, words: list[str], choices: Choices) -> tuple[list[Q], str]:
    """Each word in the question, in the article's title, as its identifier, or in a system's name."""
    names = {pk: plain_letters(name).casefold() for pk, name in choices.systems}
    systems = {word: [pk for pk, name in names.items() if plain_letters(word).casefold() in name] for word in words}
    in_texts = [word for word in words if not systems[word]]
    conditions, common = [], []
    for together in ([in_texts] if in_texts else []) + [[word] for word in words if systems[word]]:
        found = questions_with(study.corpus_id, together)
        common.append(found.too_common)
        of_systems = systems[together[0]]
        condition = Q(question__in=found.keys)
        conditions.append(condition | _has_system(of_systems) if of_systems else condition)
    return conditions, next(filter(None, common), "")


def _has_system(systems: list[int]) -> Q:
    return Q(Exists(Candidate.objects.filter(item=OuterRef("pk"), answer__system__in=systems)))


def _listed(study: Study, keys: Sequence[int], aspect: LabelledAspect | None) -> list[ListedItem]:
    """These items, with what their lines show."""
    candidates = Candidate.objects.select_related("answer__system").defer("answer__text", "answer__rationale")
    items = (
        Item.objects.filter(pk__in=keys)
        .select_related("question__article", "hit__batch")
        .prefetch_related(Prefetch("candidates", candidates))
    )
    by_key = {item.pk: item for item in items}
    shown = [by_key[key] for key in keys if key in by_key]
    flags: dict[int, list[str]] = defaultdict(list)
    for key, flag in ItemFlag.objects.filter(item__in=keys).order_by("flag").values_list("item_id", "flag"):
        flags[key].append(flag)
    if aspect is None:
        return [ListedItem(item, [], None, None, "", flags[item.pk]) for item in shown]
    figures = {row.item_id: row for row in ItemFigures.objects.filter(item__in=keys, aspect=aspect.key)}
    given, means = _labels_given(keys, aspect), _mean_scores(study, keys, aspect)
    listed = []
    for item in shown:
        words = labels_of(aspect, item)
        of_item = figures.get(item.pk)
        listed.append(
            ListedItem(
                item=item,
                labels=[(text, given[item.pk, key]) for key, text in words if (item.pk, key) in given],
                mean_score=means.get(item.pk),
                figures=of_item,
                judge_label=dict(words).get(of_item.judge_label, "") if of_item else "",
                flags=flags[item.pk],
            )
        )
    return listed


def _labels_given(keys: Sequence[int], aspect: LabelledAspect) -> dict[tuple[int, str], int]:
    counts = (
        Rating.objects.filter(aspect=aspect.key, annotation__is_current=True, annotation__item__in=keys)
        .values_list("annotation__item_id", "choice")
        .annotate(n=Count("pk"))
    )
    return {(item, choice): n for item, choice, n in counts}


def _mean_scores(study: Study, keys: Sequence[int], aspect: LabelledAspect) -> dict[int, float]:
    """Of the run whose scores count."""
    scores = Score.objects.filter(run=latest_run(study), aspect=aspect.key, annotation__item__in=keys)
    return dict(scores.values_list("annotation__item_id").annotate(mean=Avg("value")))
