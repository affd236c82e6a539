"""Claiming a task among 100,000 open places, beside the barest query of a queue, in one run on PostgreSQL.

``python -m benchmarks.claiming`` needs a server (BENCH_POSTGRES_URL names it; a database of its own is made and
dropped). Four processes, as many as there are web processes, serve 300 annotators: each takes a task, which is
submitted at once, and comes again after ``--every`` seconds. Times count from the moment at which somebody wants the
task, so that waiting for a free process is a part of them. The barest query takes the first open row that nobody has
locked (``SELECT … LIMIT 1 FOR UPDATE SKIP LOCKED``), in the same processes between the claims. Whatever waits for a
lock for more than a second is an error. At the end 300 come at one moment.
"""

import argparse
import multiprocessing
import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from benchmarks.saving import prepared_environment

if TYPE_CHECKING:
    from annotation_platform.studies.models import Hit, Member, Study

ANNOTATORS, PROCESSES, THREADS = 300, 4, 4
HITS, OVERLAP = 20_000, 5
LOCK_WAIT = "1s"


@dataclass
class Times:
    """Seconds of each claim and of each bare query, and what failed."""

    claims: list[float] = field(default_factory=list)
    bare: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def add(self, other: "Times") -> None:
        self.claims += other.claims
        self.bare += other.bare
        self.errors += other.errors


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--inside", action="store_true", help="in this very process, whose database is prepared")
    parser.add_argument("--policies", nargs="+", default=["in_order", "breadth_first", "balanced", "even", "sampled"])
    parser.add_argument("--batches", type=int, default=1, help="among how many open batches the tasks are")
    parser.add_argument("--full", type=float, default=0.0, help="share of the places that are submitted already")
    parser.add_argument("--by-level", action="store_true", help="these are the first of every task, not whole tasks")
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--every", type=float, default=20, help="seconds between two claims of one annotator")
    parser.add_argument("--hits", type=int, default=HITS)
    options = parser.parse_args()
    if options.inside:
        return measure(options)
    with prepared_environment("postgresql") as environment:
        if environment is None:
            return 1
        command = [sys.executable, "-m", "benchmarks.claiming", "--inside", *sys.argv[1:]]
        return subprocess.run(command, env=environment).returncode


def measure(options: argparse.Namespace) -> int:
    import django

    django.setup()
    from django.db import connection

    study, members = seed(options.hits, options.batches, options.full, by_level=options.by_level)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
        cursor.execute("SELECT COUNT(*) FROM studies_assignment WHERE state = 'open'")
        (places,) = cursor.fetchone()
    print(
        f"{places:,} open places in {options.batches} open batches ({options.full:.0%} more are full), "
        f"{ANNOTATORS} annotators, each every {options.every:g} s, {PROCESSES} processes of {THREADS} threads"
    )
    failed = False
    for policy in options.policies:
        from annotation_platform.studies.models import Study

        Study.objects.filter(pk=study).update(assignment_policy=policy)
        connection.close()
        calm = served(members, options.seconds, options.every)
        burst = served(members, 0, 0)
        show(policy, calm)
        show(f"{policy}, all at once", burst)
        failed |= bool(calm.errors or burst.errors)
    return int(failed)


def seed(hits: int, batches: int, full: float, *, by_level: bool = False) -> tuple[int, list[int]]:
    """A study with so many HITs of one item each, all open, of which a share is submitted; its key and annotators'."""
    from annotation_platform.studies.models import Hit, Member, Role

    study = planned_study(hits, batches)
    members = [Member.objects.create(study=study, role=Role.ANNOTATOR, pseudonym=f"A{n}") for n in range(ANNOTATORS)]
    others = [Member.objects.create(study=study, role=Role.ANNOTATOR, pseudonym=f"B{n}") for n in range(OVERLAP)]
    rows = list(Hit.objects.filter(batch__study=study).order_by("pk"))

    def is_full(n: int, place: int) -> bool:
        return (place - 1) * hits + n < full * hits * OVERLAP if by_level else n < full * hits

    fill(rows, others, is_full)
    return study.pk, [each.pk for each in members]


def planned_study(hits: int, batches: int) -> "Study":
    """So many HITs of one item each, in open batches, without places yet."""
    from django.utils import timezone

    from annotation_platform.core.schemes import preset
    from annotation_platform.corpus.models import Answer, Article, Corpus, Question, System
    from annotation_platform.studies.models import Batch, BatchState, Candidate, Hit, Item
    from annotation_platform.studies.services import create_study

    corpus = Corpus.objects.create(name="Many tasks")
    systems = System.objects.bulk_create(System(corpus=corpus, name=f"system {n}") for n in range(4))
    articles = Article.objects.bulk_create(
        (Article(corpus=corpus, external_id=f"a{n}", position=n) for n in range(hits)), batch_size=5_000
    )
    questions = Question.objects.bulk_create(
        (Question(article=each, external_id="q", position=1, text=f"What of {each.external_id}?") for each in articles),
        batch_size=5_000,
    )
    answers = Answer.objects.bulk_create(
        (Answer(question=each, system=systems[n % 4], text=f"Answer {n}") for n, each in enumerate(questions)),
        batch_size=5_000,
    )
    study = create_study(name="Many tasks", corpus=corpus, definition=preset("ebr"), overlap=OVERLAP)
    opened = [
        Batch.objects.create(study=study, number=n, state=BatchState.OPEN, opened_at=timezone.now())
        for n in range(1, batches + 1)
    ]
    size = -(-hits // batches)
    rows = Hit.objects.bulk_create(
        (
            Hit(batch=opened[n // size], article=each, position=n % size + 1, probability=random.uniform(0.1, 1))
            for n, each in enumerate(articles)
        ),
        batch_size=5_000,
    )
    items = Item.objects.bulk_create(
        (Item(study=study, hit=hit, question=each, position=1) for hit, each in zip(rows, questions, strict=True)),
        batch_size=5_000,
    )
    Candidate.objects.bulk_create(
        (Candidate(item=item, study=study, answer=each) for item, each in zip(items, answers, strict=True)),
        batch_size=5_000,
    )
    return study


def fill(hits: "Sequence[Hit]", members: "Sequence[Member]", is_full: Callable[[int, int], bool]) -> None:
    """The places of all HITs; where one is full (by the number of its HIT and its own), a member has submitted it."""
    from datetime import timedelta

    from django.utils import timezone

    from annotation_platform.studies.models import Assignment

    past = timezone.now() - timedelta(days=1)

    def submitted(place: int) -> dict[str, Any]:
        return {"annotator": members[place - 1], "state": "submitted", "claimed_at": past, "submitted_at": past}

    Assignment.objects.bulk_create(
        (
            Assignment(hit=hit, place=place, **(submitted(place) if is_full(n, place) else {}))
            for n, hit in enumerate(hits)
            for place in range(1, OVERLAP + 1)
        ),
        batch_size=5_000,
    )


def served(members: Sequence[int], seconds: float, every: float) -> Times:
    """What the processes measured; without seconds, everybody comes once, at one moment."""
    found = Times()
    spawning = multiprocessing.get_context("spawn")
    with spawning.Manager() as manager, spawning.Pool(PROCESSES) as pool:
        ready = manager.Barrier(PROCESSES)
        for times in pool.starmap(serve, [(members[n::PROCESSES], ready, seconds, every) for n in range(PROCESSES)]):
            found.add(times)
    return found


def serve(members: Sequence[int], ready: threading.Barrier, seconds: float, every: float) -> Times:
    """One process: the claims of its annotators, each when it is due, by its threads; all begin when all are ready."""
    import django

    django.setup()
    with ThreadPoolExecutor(THREADS, initializer=connect) as pool:
        list(pool.map(lambda _: connect(), range(THREADS)))
        ready.wait()
        begin = time.time()
        due = [
            (begin + start + again * every, member)
            for member in members
            for start in [random.uniform(0, every)]
            for again in range(max(int(seconds / every), 1) if every else 1)
        ]
        times = Times()
        for moment, member in sorted(due):
            time.sleep(max(moment - time.time(), 0))
            pool.submit(claim, member, moment, times)
            if every:
                pool.submit(bare, time.time(), times)
    return times


def connect() -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(f"SET lock_timeout = '{LOCK_WAIT}'")


def claim(member: int, due: float, times: Times) -> None:
    from annotation_platform.accounts.actors import Actor
    from annotation_platform.studies.models import Assignment, AssignmentState, Member
    from annotation_platform.studies.services import claim_assignment

    try:
        annotator = Member.objects.select_related("study").get(pk=member)
        place = claim_assignment(annotator=annotator, actor=Actor.operator("benchmark"))
        times.claims.append(time.time() - due)
        Assignment.objects.filter(pk=place.pk).update(state=AssignmentState.SUBMITTED)
    except Exception as error:
        times.errors.append(f"{type(error).__name__}: {error}")


def bare(due: float, times: Times) -> None:
    from django.db import connection, transaction

    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT id FROM studies_assignment WHERE state = 'open' LIMIT 1 FOR UPDATE SKIP LOCKED")
        cursor.fetchone()
    times.bare.append(time.time() - due)


def quantile(values: Sequence[float], q: float) -> float:
    return sorted(values)[min(int(q * len(values)), len(values) - 1)]


def show(name: str, times: Times) -> None:
    def milliseconds(values: Sequence[float]) -> str:
        if not values:
            return "—"
        return ", ".join(f"p{round(100 * q)} {1000 * quantile(values, q):.1f} ms" for q in (0.5, 0.95, 0.99))

    print(f"{name}: {len(times.claims)} claims, {milliseconds(times.claims)}")
    if times.bare:
        print(f"  bare query: {milliseconds(times.bare)}")
    if times.errors:
        print(f"  {len(times.errors)} errors, such as {times.errors[0][:200]}")


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotation_platform.settings")
    raise SystemExit(main())
