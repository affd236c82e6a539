"""The dry run: a few items are asked about, and from what they cost follows what all will cost, with its range.

Their replies are kept and count for the run itself, so nothing is paid twice.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import Decimal
from math import sqrt
from typing import Any

from django.db.models import QuerySet

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.jobs.heartbeat import Heartbeat, JobPausedError
from annotation_platform.scoring.bills import expected_in_words
from annotation_platform.scoring.gateway import Gateway, Request
from annotation_platform.scoring.gateway.replies import stored
from annotation_platform.scoring.gateway.requests import make_question
from annotation_platform.scoring.methods import RunMethod
from annotation_platform.scoring.models import Completion, ScoringRun
from annotation_platform.scoring.parameters import ModelCall
from annotation_platform.studies.models import Item

ITEMS = 10
MOST_REQUESTS = 1_000  # about one item


def estimate_run(*, run: ScoringRun, how: RunMethod, heartbeat: Heartbeat) -> None:
    """Ask about ten items, spread over the run's, and store the expected bill with it; the run pauses then.

    The items are a sample of the run's; the total is their mean times the number of items, and its range the 95 %
    interval of Student's t for a mean, for a finite number of items, at least what is spent already.

    Raises
    ------
    JobPausedError
        Always, with the bill in words.
    InvalidInputError
        When the run asks no model, or nothing.
    """
    parameters = how.parse(scorer=run.scorer, stored=run.parameters)
    if not isinstance(parameters, ModelCall):
        raise InvalidInputError("scoring.nothing_to_pay")
    items = run_items(run)
    count, tried = items.count(), spread(items, ITEMS)
    replies = _ask(run, how, parameters, tried, heartbeat)
    if not any(replies.values()):
        raise InvalidInputError("scoring.nothing_to_ask")
    costs = [sum((reply.cost or Decimal(0) for reply in found), Decimal(0)) for found in replies.values()]
    has_costs = all(reply.cost is not None for found in replies.values() for reply in found)
    tokens = [
        sum((reply.prompt_tokens or 0) + (reply.completion_tokens or 0) for reply in found)
        for found in replies.values()
    ]
    share = parameters.share_asked
    requests = _total([*map(len, replies.values())], count, share)
    run.estimate = {"items tried": len(tried), "items": count, "requests": requests}
    if any(tokens):  # else the server counts none
        run.estimate |= {f"tokens {name}": round(value) for name, value in _range(tokens, count, share).items()}
    if has_costs:
        run.estimate |= {f"dollars {name}": round(value, 4) for name, value in _range(costs, count, share).items()}
    run.wants_estimate = False
    run.total, heartbeat.done = how.total(run, run.study.scheme()), 0  # the run itself has not begun
    run.save(update_fields=["estimate", "wants_estimate", "total"])
    raise JobPausedError(
        "scoring.dry_run_done",
        tried=len(tried),
        items=count,
        bill=expected_in_words(run.estimate),
    )


def steps(run: ScoringRun) -> int:
    """How many steps the dry run has: items."""
    return min(ITEMS, run_items(run).count())


def run_items(run: ScoringRun) -> QuerySet[Item]:
    return Item.objects.filter(hit__batch__scoring_runs=run).order_by("pk")


def spread(items: QuerySet[Item], wanted: int) -> list[int]:
    """Keys of so many items, evenly spread over all."""
    keys = list(items.values_list("pk", flat=True))
    if len(keys) <= wanted:
        return keys
    return [keys[(2 * number + 1) * len(keys) // (2 * wanted)] for number in range(wanted)]


def _ask(
    run: ScoringRun, how: RunMethod, parameters: ModelCall, item_ids: Sequence[int], heartbeat: Heartbeat
) -> dict[int, list[Completion]]:
    """The replies about each item: those that are used, and those that were cut, which are paid for, too.

    All are asked for at once, so that a batch holds them all. Requests that are alike have one reply, which counts
    once; but not where a run asks about a share, since it chooses those that differ.
    """
    replies: dict[int, list[Completion]] = {item_id: [] for item_id in item_ids}
    left, asked_about, marks = Counter[int](), set[int](), dict[str, int]()

    def requests() -> Iterator[Request[tuple[int, int, int]]]:
        for item_id in item_ids:
            found = how.asked(study=run.study, parameters=parameters, limit=MOST_REQUESTS, item_id=item_id)
            for number, asked in enumerate(found):
                for repetition in range(parameters.times_asked):
                    left[item_id] += 1
                    request = Request((item_id, number, repetition), asked.messages, asked.schema, repetition)
                    marks.setdefault(make_question(request, parameters).mark, item_id)
                    yield request
            asked_about.add(item_id)

    for (item_id, *_), answer in Gateway(parameters, run).complete(requests()):
        left[item_id] -= 1
        if isinstance(answer, Completion):  # what is refused costs nothing
            replies[item_id].append(answer)
        heartbeat.beat(sum(not left[each] for each in asked_about) - heartbeat.done)
    for mark, first in stored(marks).items():
        if first not in replies[marks[mark]]:  # it was asked for again, with more room
            replies[marks[mark]].append(first)
    heartbeat.beat(len(item_ids) - heartbeat.done)
    return replies if parameters.share_asked < 1 else {each: [*dict.fromkeys(found)] for each, found in replies.items()}


def _total(values: Sequence[Any], count: int, share: float) -> int:
    return round(float(sum(values)) / len(values) * count * share)


def _range(values: Sequence[Any], count: int, share: float = 1.0) -> dict[str, float]:
    """Expected, lowest and highest total of ``count`` items, from the values of some of them, when a run asks about
    a ``share`` of what could be asked; never below what these have cost."""
    from scipy.special import stdtrit

    n, known = len(values), float(sum(values))
    mean = known / n
    if n == 1 or n == count:
        half = 0.0 if n == count else float("nan")
    else:
        variance = sum((float(value) - mean) ** 2 for value in values) / (n - 1)
        half = float(stdtrit(n - 1, 0.975)) * sqrt(variance / n * (1 - n / count)) * count
    totals = {"expected": mean * count}
    if half == half:  # one item tells nothing about how much they differ
        totals |= {"low": mean * count - half, "high": mean * count + half}
    return {name: max(known, total * share) for name, total in totals.items()}
