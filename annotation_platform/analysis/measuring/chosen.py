"""Judgments of tasks that were drawn with known chances: how many items each stands for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

import numpy as np
from django.db.models import Count, Exists, OuterRef, Q
from django.db.models.functions import Coalesce
from django.utils.translation import gettext_noop

from annotation_platform.accounts.models import Event
from annotation_platform.accounts.verbs import Verb
from annotation_platform.annotations.models import Annotation
from annotation_platform.core.arrays import Codes, Flags, Floats
from annotation_platform.core.signature import signature
from annotation_platform.core.statistics.chances import Draw as DrawSize
from annotation_platform.core.statistics.chances import weights_of_draws
from annotation_platform.studies.models import FINISHED_STATES, AssignmentPolicy, Draw, DrawRule, Item, Study

NONE_DRAWN = gettext_noop("People have judged none of its answers that were drawn by chance.")


@dataclass(frozen=True, eq=False)
class ChosenTasks:
    """Of a study's judged items the weights, and of all items the tasks; ``by_uncertainty``: not all draws were even.

    An item that is not in ``weight_of_item`` was judged outside of every draw, or not yet: it must not count. Items
    ``out_of_reach`` could not be drawn any more in the last draw, and are in batches that have not finished: what was
    drawn does not speak for them, so that they are none of “all”. ``leaves_out``: some of what counts nobody has
    judged, and it was not chance alone that left it out.
    """

    weight_of_item: dict[int, float]
    task_of_item: dict[int, int]
    by_uncertainty: bool
    signature: str
    out_of_reach: frozenset[int] = frozenset()
    leaves_out: bool = False

    @property
    def rule(self) -> str:
        """How tasks were drawn, as figures store it."""
        return "uncertainty" if self.by_uncertainty else "random"

    def weights(self, items: Sequence[int]) -> Floats:
        """Of each of these items, 0 where what people said of it must not count."""
        return np.array([self.weight_of_item.get(item, 0.0) for item in items], dtype=np.float64)

    def counts(self, items: Sequence[int]) -> Flags:
        """Whether what people said of each of these items counts: what lies outside of the draws does not."""
        return self.weights(items) > 0

    def within_reach(self, items: Sequence[int]) -> Flags:
        """Whether what was drawn speaks for each of these items."""
        return np.array([item not in self.out_of_reach for item in items], dtype=np.bool_)

    def tasks(self, items: Sequence[int]) -> Codes:
        return np.array([self.task_of_item[item] for item in items], dtype=np.int64)

    @cached_property
    def is_even(self) -> bool:
        """Whether what counts is a part drawn at random, of which everything weighs the same."""
        weights = np.array(list(self.weight_of_item.values()))
        return not self.by_uncertainty and np.allclose(weights, weights[:1], rtol=1e-9, atol=0)


def chosen_tasks(study: Study) -> ChosenTasks | None:
    """How the tasks of finished batches were drawn; None where none was, so that nothing is known about it.

    All tasks in one batch, taken in an order by chance until it closed, are drawn at random as well.

    Draws whose batches have not finished yet are left aside, and so are the items that a later draw could not reach
    for them. A draw that could speaks for them too, and not for the rest alone: what it drew counts as given otherwise.
    What people were given otherwise before a draw counts once, and after the last one not at all (`weights_of_draws`).
    Where not all of a batch was judged, what was stands for the rest of it as well; where all items were judged, each
    stands for itself.
    """
    shares = _shares_judged(study)
    rows = Draw.objects.filter(batch__study=study, batch__state__in=FINISHED_STATES).select_related("batch")
    finished = [each for each in rows if shares.get(each.batch_id)]  # of which nothing was judged is as if not made
    if not finished:
        return _taken_by_chance(study)
    beyond = _out_of_reach(study, finished[-1].drawn_at)
    draws = [each for each in finished if all(taken < each.drawn_at for taken in beyond.values())]
    of_study = Item.objects.filter(study=study).order_by("pk")
    items = list(of_study.values_list("pk", "hit_id", "hit__batch_id", "hit__probability"))
    taken_at = dict(study.batches.filter(pk__in=shares).values_list("pk", "opened_at"))
    taken_at |= {each.batch_id: each.drawn_at for each in finished}
    judged = [row for row in items if row[2] in taken_at]
    weights = _weights(judged, draws, taken_at, shares)
    if len(judged) == len(items) and all(share == 1 for share in shares.values()):
        weights = np.ones(len(items))  # nothing is estimated any more, whoever chose it
    counted = {row[2] for row, weight in zip(judged, weights.tolist(), strict=True) if weight > 0}
    unfilled = {batch for batch in counted if shares[batch] < 1}
    by_chance = unfilled <= {each.batch_id for each in draws} and _come_by_chance(study, since=draws[0].drawn_at)
    leaves_out = bool(unfilled) and not by_chance
    return ChosenTasks(
        weight_of_item={row[0]: weight for row, weight in zip(judged, weights.tolist(), strict=True) if weight > 0},
        task_of_item={row[0]: row[1] for row in items},
        by_uncertainty=any(each.rule == DrawRule.UNCERTAINTY for each in draws),
        signature=signature([[[each.signature, each.batch.number] for each in draws], sorted(beyond), leaves_out]),
        out_of_reach=frozenset(row[0] for row in items if row[2] in beyond),
        leaves_out=leaves_out,
    )


def _weights(
    rows: Sequence[tuple[int, int, int, float | None]],
    draws: Sequence[Draw],
    taken_at: Mapping[int, datetime | None],
    shares: Mapping[int, float],
) -> Floats:
    """Of items with their task, batch and probability, by when batches were taken and which share of each is judged."""
    number_of = {each.batch_id: number for number, each in enumerate(draws, start=1)}

    def draws_with_it(batch: int) -> int:
        if batch in number_of:
            return number_of[batch]
        at = taken_at[batch]
        return len(draws) if at is None else sum(each.drawn_at < at for each in draws)

    from_draws = {batch: draws_with_it(batch) for batch in taken_at}
    # A task of a draw that is left aside has a probability, but not one of these draws.
    probabilities = [np.nan if row[2] not in number_of or row[3] is None else row[3] for row in rows]
    sizes = [DrawSize(each.frame, each.drawn) for each in draws]
    weights = weights_of_draws(probabilities, [from_draws[row[2]] for row in rows], sizes)
    found: Floats = weights / np.array([shares[row[2]] or 1.0 for row in rows])
    return found


def _taken_by_chance(study: Study) -> ChosenTasks | None:
    """What is judged of the study's only batch, where tasks were taken in an order by chance until it closed."""
    batch = study.batches.first()
    if batch is None or study.batches.count() > 1 or batch.state not in FINISHED_STATES or batch.opened_at is None:
        return None
    if not _come_by_chance(study, since=batch.opened_at):
        return None
    tasks = dict(Item.objects.filter(study=study).values_list("pk", "hit_id"))
    return ChosenTasks(dict.fromkeys(tasks, 1.0), tasks, by_uncertainty=False, signature=AssignmentPolicy.SAMPLED.value)


def _come_by_chance(study: Study, *, since: datetime) -> bool:
    """Whether chance has decided the order of tasks ever since."""
    changed = Event.objects.filter(study=study.pk, verb=Verb.STUDY_CHANGED, change__has_key="assignment_policy")
    return study.assignment_policy == AssignmentPolicy.SAMPLED and not changed.filter(at__gt=since).exists()


def _shares_judged(study: Study) -> dict[int, float]:
    """Of the items of each finished batch, which part somebody has judged."""
    of_item = Annotation.objects.current().filter(item=OuterRef("pk"))
    rows = Item.objects.filter(study=study, hit__batch__state__in=FINISHED_STATES).alias(is_judged=Exists(of_item))
    n_judged = Count("pk", filter=Q(is_judged=True))
    by_batch = rows.order_by().values("hit__batch_id").annotate(n=Count("pk"), n_judged=n_judged)
    counts = by_batch.values_list("hit__batch_id", "n", "n_judged")
    return {batch: n_judged / n for batch, n, n_judged in counts}


def _out_of_reach(study: Study, last: datetime) -> dict[int, datetime]:
    """The batches that have not finished and whose tasks were taken by then, and when: drawn, or given to people."""
    unfinished = study.batches.exclude(state__in=FINISHED_STATES)
    taken = unfinished.annotate(taken_at=Coalesce("draw__drawn_at", "opened_at")).filter(taken_at__lt=last)
    return dict(taken.values_list("pk", "taken_at"))


def joined(units: Codes, tasks: Codes) -> Codes:
    """The smallest groups in which every unit and every task lies whole."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    first, second = (np.unique(column, return_inverse=True)[1].astype(np.int64) for column in (units, tasks))
    if not len(first):
        return first
    n = int(first.max()) + 1, int(second.max()) + 1
    links = coo_array((np.ones(len(first)), (first, n[0] + second)), shape=(sum(n), sum(n)))
    found: Codes = connected_components(links, directed=False)[1][first].astype(np.int64)
    return found
