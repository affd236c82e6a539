"""Which tasks get a check, which one, and at which place: by chance, and the same for the same seed."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from annotation_platform.core.allocation import shuffled


@dataclass(frozen=True)
class Task:
    """A HIT to be: its key, its document, the questions and answers that it has, and whether it has a check."""

    pk: int
    article: int
    questions: frozenset[int]
    answers: frozenset[int]
    size: int
    has_check: bool = False


@dataclass(frozen=True)
class Candidate:
    """A check that could go in."""

    pk: int
    article: int
    question: int
    answers: frozenset[int]


@dataclass(frozen=True)
class Placing:
    """That a check goes into a task, at a position; ``is_elsewhere``: it is about another document than the task."""

    task: int
    check: int
    position: int
    is_elsewhere: bool


def choose(
    tasks: Sequence[Task], checks: Sequence[Candidate], *, every: int, used: Mapping[int, int], seed: str
) -> Iterator[Placing]:
    """One task of each ``every`` in a row gets a check, unless one of them has one already.

    No check goes into a task with the same question: its annotator would notice. Where none fits the task that was
    drawn, another task of the row is drawn. Of the checks that fit, those about the task's own document come first,
    then those that were used least.

    Parameters
    ----------
    used
        Check → in how many tasks it is already.

    Examples
    --------
    >>> tasks = [Task(n, 1, frozenset({n}), frozenset({n}), 1) for n in range(1, 5)]
    >>> checks = [Candidate(7, 1, 9, frozenset({9}))]
    >>> [placing.check for placing in choose(tasks, checks, every=2, used={}, seed="")]
    [7, 7]
    """
    times = Counter(used)
    for start in range(0, len(tasks), every):
        row = tasks[start : start + every]
        # The last tasks can be fewer than a row; so that the rate holds on the whole, they get one as often.
        drawn = shuffled(range(every), seed=f"{seed}/row {row[0].pk}")
        if any(task.has_check for task in row) or drawn[0] >= len(row):
            continue
        in_order = (row[position] for position in drawn if position < len(row))
        found = next(((task, fitting) for task in in_order if (fitting := _fitting(task, checks))), None)
        if found is None:
            continue
        task, fitting = found
        by_chance = shuffled(fitting, seed=f"{seed}/check {task.pk}")
        check = min(by_chance, key=lambda each: (each.article != task.article, times[each.pk]))
        times[check.pk] += 1
        position = shuffled(range(1, task.size + 2), seed=f"{seed}/position {task.pk}")[0]
        yield Placing(task.pk, check.pk, position, check.article != task.article)


def _fitting(task: Task, checks: Sequence[Candidate]) -> list[Candidate]:
    """Those that ask nothing, and show no answer, that the task has already."""
    return [each for each in checks if each.question not in task.questions and not each.answers & task.answers]
