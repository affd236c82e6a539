"""A crowd at work: 300 annotators take whole tasks over HTTP, with four web processes on PostgreSQL, for five minutes.

``python -m benchmarks.crowd_load`` makes a PostgreSQL server of its own, so that it can be crashed. Each annotator
takes a task, and for each of its questions loads the page, saves a draft and submits, with a pause before each
request (``--pause`` seconds on average); then the next task. ``--kill`` kills a web process every so many seconds, at
random, which the server starts anew; ``--crash`` crashes and restarts the database half-way. A request whose
connection breaks, or that is answered by an error of the server then, is sent again unchanged, as people do.

Afterwards the database is held against what the annotators were told: every judgment that was answered is there once,
nothing is there that nobody sent, and no place is lost, doubled or added.
"""

import argparse
import asyncio
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

from benchmarks.crowd_browser import Browser, Told
from benchmarks.private_postgres import PrivatePostgres
from benchmarks.saving import EXPLANATION, ROOT, migrated, redis_where_it_answers

ANNOTATORS, PROCESSES, SECONDS = 300, 4, 300.0
QUESTIONS, OVERLAP = 5, 5
TOKEN = "a" * 32
HIDDEN = re.compile(rb'<input type="hidden" name="(scheme|holder|submission|version)" value="([^"]*)"')


@dataclass(frozen=True)
class Person:
    member: int
    cookie: str


async def work(person: Person, port: int, slug: str, until: float, pause: float, told: Told, *, is_calm: bool) -> None:
    """One annotator, until the time is over; a task that is under way then is finished."""
    browser = Browser(port, person.cookie, told, is_calm=is_calm)
    await asyncio.sleep(random.uniform(0, 2 * pause))
    while time.monotonic() < until:
        _, location, _ = await browser.ask("take", f"/work/take/{slug}/", {"csrfmiddlewaretoken": TOKEN})
        if (found := re.match(r"/work/assignments/(\d+)/", location)) is None:
            told.errors.append(f"take led to {location}")
            return
        place = int(found[1])
        target = re.match(r"/work/assignments/\d+/(\d+)/$", location)
        position = int(target[1]) if target else 1
        while position:
            position = await _judge(browser, place, position, person, pause, told)
        await asyncio.sleep(random.expovariate(1 / pause))
    browser.close()


async def _judge(browser: Browser, place: int, position: int, person: Person, pause: float, told: Told) -> int:
    """One question: its page, a draft, the judgment; the next position, or 0 at the end of the task."""
    path = f"/work/assignments/{place}/{position}/"
    await asyncio.sleep(random.expovariate(1 / pause))
    status, _, page = await browser.ask("page", path)
    if status != 200:
        told.errors.append(f"page {path}: {status}")
        return 0
    form = {name.decode(): value.decode() for name, value in HIDDEN.findall(page)}
    form |= {"csrfmiddlewaretoken": TOKEN, "seconds": "41.5", "submission": str(uuid4())}
    form |= {"aspect-correct": "yes", "aspect-completeness": "missing_minor", "aspect-sentences": "2, 5-7"}
    form["aspect-reasons"] = EXPLANATION
    await asyncio.sleep(random.expovariate(1 / pause))
    status, _, answer = await browser.ask("draft", f"{path}draft/", form)
    if status == 200 and (version := re.search(rb'"version": (\d+)', answer)):
        form["version"] = version[1].decode()
    elif status != 409:  # 409: the first try had been stored, and its answer was lost
        told.errors.append(f"draft {path}: {status}")
    await asyncio.sleep(random.expovariate(1 / pause))
    told.sent.add(form["submission"])
    status, location, _ = await browser.ask("submit", path, form)
    if status not in (302, 303):
        told.errors.append(f"submit {path}: {status}")
        return 0
    told.saved.add(form["submission"])
    where = urlsplit(location).path
    if where.endswith("/done/"):
        told.finished.append((place, person.member))
        return 0
    return int(where.rstrip("/").rpartition("/")[2])


async def everybody(
    people: Sequence[Person], port: int, slug: str, options: argparse.Namespace, troubles: Sequence[object]
) -> Told:
    told = Told()
    until = time.monotonic() + options.seconds
    async with asyncio.TaskGroup() as group:
        for person in people:
            group.create_task(
                work(person, port, slug, until, options.pause, told, is_calm=not (options.kill or options.crash))
            )
        for trouble in troubles:
            group.create_task(trouble(until))  # type: ignore[operator]
    return told


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--inside", help="in this very process; the folder of the server's log")
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--pause", type=float, default=5.0, help="seconds on average before each request")
    parser.add_argument("--annotators", type=int, default=ANNOTATORS)
    parser.add_argument("--processes", type=int, default=PROCESSES)
    parser.add_argument("--kill", type=float, default=0, help="kill a web process every so many seconds")
    parser.add_argument("--crash", action="store_true", help="crash and restart the database half-way")
    options = parser.parse_args()
    if options.inside:
        return measure(options)
    with PrivatePostgres() as postgres, tempfile.TemporaryDirectory() as folder:
        environment = {
            **os.environ,
            "DATA_DIR": folder,
            "DATABASE_URL": postgres.url,
            "DJANGO_SETTINGS_MODULE": "annotation_platform.settings",
            "PYTHONPATH": str(ROOT),
            **redis_where_it_answers(),
        }
        command = [sys.executable, "-m", "benchmarks.crowd_load", "--inside", folder, *sys.argv[1:]]
        process = subprocess.Popen(command, env=migrated(environment))
        begun = Path(folder) / "begun"
        while process.poll() is None and not begun.exists():
            time.sleep(0.2)
        if options.crash:
            with suppress(subprocess.TimeoutExpired):
                process.wait(options.seconds / 2)
            postgres.crash_and_restart()
        return process.wait()


def measure(options: argparse.Namespace) -> int:
    import django

    django.setup()
    from django.db import connection

    from tests.servers.web_server import WebServer

    tasks = int(options.annotators * (options.seconds / options.pause / (3 * QUESTIONS + 1) + 2))
    slug, people = seed(options.annotators, hits=max(tasks // OVERLAP, options.annotators))
    connection.close()
    kills = Counter[str]()
    folder = Path(options.inside)
    with WebServer(folder, dict(os.environ), workers=options.processes) as server:

        async def kill(until: float) -> None:
            while options.kill and time.monotonic() + options.kill < until:
                await asyncio.sleep(random.uniform(0.5, 1.5) * options.kill)
                if children := server.children():
                    # The oldest: where one has just been started, granian takes its death for a loop and ends.
                    os.kill(min(children), signal.SIGKILL)
                    kills["web processes killed"] += 1

        (folder / "begun").touch()
        began = time.perf_counter()
        told = asyncio.run(everybody(people, server.port, slug, options, [kill]))
        seconds = time.perf_counter() - began
    wrong = [*told.errors, *broken(slug, told)]
    show(options, told, seconds, kills, wrong)
    return bool(wrong)


def seed(annotators: int, *, hits: int) -> tuple[str, list[Person]]:
    """A study with so many open HITs of five questions, and annotators who are signed in."""
    from django.conf import settings
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
    from django.contrib.sessions.backends.db import SessionStore

    from annotation_platform.accounts.actors import Actor
    from annotation_platform.accounts.models import User
    from annotation_platform.core.schemes import preset
    from annotation_platform.corpus.models import Answer, Article, Corpus, Question, Sentence, System
    from annotation_platform.studies.models import Role
    from annotation_platform.studies.services import add_member, create_study, open_batch, plan_batches

    operator = Actor.operator("benchmark")
    corpus = Corpus.objects.create(name="Crowd")
    system = System.objects.create(corpus=corpus, name="only")
    articles = Article.objects.bulk_create(
        Article(corpus=corpus, external_id=str(n), title=f"Article {n}", position=n, sentence_count=12)
        for n in range(hits)
    )
    Sentence.objects.bulk_create(
        Sentence(article=article, number=n, text=f"Sentence {n} tells of matter {n}.")
        for article in articles
        for n in range(1, 13)
    )
    questions = Question.objects.bulk_create(
        Question(article=article, external_id=str(n), position=n, text=f"What about {n}?", anchor=n)
        for article in articles
        for n in range(1, QUESTIONS + 1)
    )
    Answer.objects.bulk_create(Answer(question=question, system=system, text="It rained.") for question in questions)
    study = create_study(
        name="Crowd", corpus=corpus, definition=preset("ebr"), overlap=OVERLAP, hits_per_batch=hits + 1
    )
    (batch,) = plan_batches(study=study)
    open_batch(batch=batch, actor=operator)
    people = []
    for index in range(annotators):
        user = User.objects.create(email=f"crowd{index}@example.org", password="!")
        member = add_member(study=study, role=Role.ANNOTATOR, user=user, actor=operator)
        session = SessionStore()
        session[SESSION_KEY] = str(user.pk)
        session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
        session[HASH_SESSION_KEY] = user.get_session_auth_hash()
        session.create()
        people.append(Person(member.pk, f"sessionid={session.session_key}; csrftoken={TOKEN}"))
    return study.slug, people


def broken(slug: str, told: Told) -> list[str]:
    """What of the database is not as the annotators were told, or as it always has to be."""
    from annotation_platform.annotations.models import Annotation
    from annotation_platform.studies.models import Assignment, Hit, Item

    places = Assignment.objects.filter(hit__batch__study__slug=slug)
    stored = Counter(str(mark) for mark in Annotation.objects.values_list("submission_id", flat=True))
    current = Annotation.objects.current()
    per_item = Counter(current.values_list("item", flat=True))
    judged = Counter(current.values_list("assignment", flat=True))
    items = Counter(Item.objects.values_list("hit", flat=True))
    holders = dict(places.filter(state="submitted").values_list("pk", "annotator"))
    found = {
        "judgments that were answered are lost": len(told.saved - stored.keys()),
        "judgments are stored twice": sum(times > 1 for times in stored.values()),
        "judgments are there that nobody sent": len(stored.keys() - told.sent),
        "people judged an item twice": sum(n > 1 for n in Counter(current.values_list("item", "annotator")).values()),
        "items have more judgments than the overlap": sum(n > OVERLAP for n in per_item.values()),
        "places are lost or added": abs(places.count() - OVERLAP * Hit.objects.count()),
        "people have two places of a task": sum(
            n > 1 for n in Counter(places.exclude(annotator=None).values_list("hit", "annotator")).values()
        ),
        "submitted tasks are not whole": sum(
            judged[place.pk] != items[place.hit_id] for place in places.filter(state="submitted")
        ),
        "finished tasks are not submitted": sum(holders.get(place) != member for place, member in told.finished),
        "people hold two tasks": sum(
            n > 1 for n in Counter(places.filter(state="claimed").values_list("annotator", flat=True)).values()
        ),
    }
    return [f"{count} {what}" for what, count in found.items() if count]


def show(options: argparse.Namespace, told: Told, seconds: float, kills: Counter[str], wrong: Sequence[str]) -> None:
    asked = sum(len(times) for times in told.seconds.values())
    troubles = [f"{count} {what}" for what, count in kills.items()] + ["the database crashed once"] * options.crash
    print(
        f"{options.annotators} annotators, {options.processes} web processes, {seconds:.0f} s, a pause of "
        f"{options.pause:g} s before each request{''.join(f', {each}' for each in troubles)}"
    )
    print(f"  {asked / seconds:.0f} requests/s; {len(told.finished)} tasks, {len(told.saved)} judgments answered")
    for kind, times in told.seconds.items():
        p50, p95, most = (1000 * sorted(times)[min(int(q * len(times)), len(times) - 1)] for q in (0.5, 0.95, 1))
        print(f"  {kind:7} {len(times):6}, p50 {p50:.0f} ms, p95 {p95:.0f} ms, longest {most:.0f} ms")
    if told.again:
        print(f"  sent again: {dict(told.again)}")
    if told.reopened:
        print(f"  connections that the server had closed while idle, opened anew: {told.reopened}")
    print(
        f"  {len(told.sent)} judgments sent, {len(told.saved)} answered: none lost, none doubled" if not wrong else ""
    )
    for each, often in Counter(wrong).most_common(10):
        print(f"  WRONG: {each}{f' ({often} times)' if often > 1 else ''}")


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotation_platform.settings")
    raise SystemExit(main())
