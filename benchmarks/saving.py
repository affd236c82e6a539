"""Saving judgments over HTTP at 50 annotators at once, beside a trivial view under the same server.

``python -m benchmarks.saving`` runs on PostgreSQL (where one answers; BENCH_POSTGRES_URL names the server) and on
the embedded SQLite. A *save* is a full submission of one question's form: checked, stored as a revision with its
ratings and cited sentences, the draft forgotten, answered by the way to the next question. The trivial view has one
SELECT and one INSERT behind the same middleware and sign-in. Both are driven over kept-alive connections by a client
that shares the machine.
"""

import argparse
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING
from uuid import uuid4

from annotation_platform.accounts.actors import Actor
from benchmarks import databases
from benchmarks.load import Load, Request, run_load
from benchmarks.protocol import Comparison, Side, compare

if TYPE_CHECKING:
    from annotation_platform.accounts.models import User
    from annotation_platform.studies.models import Hit, Study

ANNOTATORS = 50
ITEMS_PER_HIT = 5
OVERLAP = 5
SAVES_PER_ROUND = 30  # by each annotator
ROUNDS = 5
ROOT = Path(__file__).resolve().parent.parent
EXPLANATION = (
    "It names the storm as the reason, but leaves out that the roof had leaked since 2019 (sentence 2) and that "
    "readers can return their books at the post office in the meantime (sentence 3)."
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--on", choices=["postgresql", "sqlite"], help="only this database, in this very process")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    options = parser.parse_args()
    if options.on:
        return measure(options.on, options.rounds)
    for database in ("postgresql", "sqlite"):
        with prepared_environment(database) as environment:
            if environment is not None:
                command = [sys.executable, "-m", "benchmarks.saving", "--on", database, "--rounds", str(options.rounds)]
                subprocess.run(command, env=environment, check=True)
    return 0


@contextmanager
def prepared_environment(database: str) -> Iterator[dict[str, str] | None]:
    """An environment with an empty, migrated database of its own; None where there is no server."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            **os.environ,
            "DATA_DIR": folder,
            "DJANGO_SETTINGS_MODULE": "benchmarks.saving_settings",
            "PYTHONPATH": str(ROOT),
        }
        environment.pop("DATABASE_URL", None)
        environment.pop("REDIS_URL", None)
        if database == "sqlite":
            yield migrated(environment)
            return
        with databases.database(f"bench_saving_{os.getpid()}") as made:
            if made is None:
                yield None
                return
            environment["DATABASE_URL"] = made.url
            yield migrated(environment | redis_where_it_answers())


def redis_where_it_answers() -> dict[str, str]:
    """As deployed: Redis beside PostgreSQL. BENCH_REDIS_URL names a database to empty."""
    import redis

    url = os.environ.get("BENCH_REDIS_URL", "redis://127.0.0.1:6379/15")
    try:
        redis.Redis.from_url(url).flushdb()
    except redis.RedisError as error:
        print(f"Without Redis: {error}")
        return {}
    return {"REDIS_URL": url}


def migrated(environment: dict[str, str], *, folder: Path = ROOT) -> dict[str, str]:
    subprocess.run([sys.executable, "manage.py", "migrate", "-v0"], env=environment, cwd=folder, check=True)
    return environment


def measure(database: str, rounds: int) -> int:
    import django

    django.setup()
    turns = 3 * rounds + 2  # as many as the protocol may take
    people = prepare(hits_each=turns * SAVES_PER_ROUND // ITEMS_PER_HIT + 1)
    saves: list[Load] = []
    trivials: list[Load] = []

    def save() -> Load:
        first = len(saves) * SAVES_PER_ROUND
        batch = [person.saves[first : first + SAVES_PER_ROUND] for person in people]
        saves.append(run_load(port=port, people=batch, expected="302 303"))
        return saves[-1]

    def trivial() -> Load:
        batch = [person.trivial[:SAVES_PER_ROUND] for person in people]
        trivials.append(run_load(port=port, people=batch, expected="204"))
        return trivials[-1]

    with server(database) as port:
        comparison = compare(
            Side("saves", save),
            Side("trivial view", trivial),
            same=lambda a, b: not a.failures + b.failures,
            rounds=rounds,
        )
    check_rows(people, saved=len(saves) * SAVES_PER_ROUND * ANNOTATORS)
    show(database, saves, trivials, comparison)
    return 0


class Person:
    """An annotator with a session of their own and the forms that they will send."""

    def __init__(self, cookie: str) -> None:
        self.cookie = cookie
        self.saves: list[Request] = []
        self.trivial: list[Request] = []


def prepare(*, hits_each: int) -> list[Person]:
    """Annotators with their claimed places and, for each item, the form that they will send."""
    from annotation_platform.studies.models import Hit

    study = opened_study(articles=hits_each * ANNOTATORS // OVERLAP)
    hits = list(Hit.objects.filter(batch__study=study).order_by("position"))
    fields = judgment_of(study)
    people = []
    for index in range(ANNOTATORS):
        group, place = divmod(index, OVERLAP)
        mine = hits[group * hits_each : (group + 1) * hits_each]
        people.append(prepared_person(study, index, mine, place + 1, fields))
    return people


def opened_study(*, articles: int) -> "Study":
    """One batch with a HIT for each article."""
    from annotation_platform.core.schemes import preset
    from annotation_platform.corpus.models import Answer, Article, Corpus, Question, Sentence, System
    from annotation_platform.studies.services import create_study, open_batch, plan_batches

    corpus = Corpus.objects.create(name="Load")
    system = System.objects.create(corpus=corpus, name="only")
    made = Article.objects.bulk_create(
        Article(corpus=corpus, external_id=str(n), title=f"Article {n}", position=n, sentence_count=12)
        for n in range(articles)
    )
    Sentence.objects.bulk_create(
        Sentence(article=article, number=n, text=f"Sentence {n} tells of matter {n}.")
        for article in made
        for n in range(1, 13)
    )
    questions = Question.objects.bulk_create(
        Question(article=article, external_id=str(n), position=n, text=f"What about {n}?", anchor=n)
        for article in made
        for n in range(1, ITEMS_PER_HIT + 1)
    )
    Answer.objects.bulk_create(Answer(question=question, system=system, text="It rained.") for question in questions)
    study = create_study(
        name="Load", corpus=corpus, definition=preset("ebr"), overlap=OVERLAP, hits_per_batch=articles + 1
    )
    (batch,) = plan_batches(study=study)
    open_batch(batch=batch, actor=Actor.operator("benchmark"))
    return study


def judgment_of(study: "Study") -> dict[str, str]:
    """A form's fields, filled in."""
    from annotation_platform.annotations.forms import PREFIX
    from annotation_platform.core.schemes import RatedAspect, TextAspect

    fields: dict[str, str] = {}
    for aspect in study.scheme().aspects:
        if isinstance(aspect, RatedAspect):
            fields[PREFIX + aspect.key] = aspect.scale.choices[1].key
        elif isinstance(aspect, TextAspect):
            fields[PREFIX + aspect.key] = EXPLANATION
        else:
            fields[PREFIX + aspect.key] = "2, 5-7"
    return fields


def prepared_person(study: "Study", index: int, hits: "list[Hit]", place: int, fields: dict[str, str]) -> Person:
    """Somebody who holds this place of these HITs."""
    from django.utils import timezone

    from annotation_platform.accounts.models import User
    from annotation_platform.studies.models import Assignment, Role
    from annotation_platform.studies.services import add_member

    user = User.objects.create(email=f"load{index}@example.org", password="!")
    member = add_member(study=study, role=Role.ANNOTATOR, user=user, actor=Actor.operator("benchmark"))
    now, token = timezone.now(), "a" * 32
    person = Person(f"sessionid={session_of(user)}; csrftoken={token}")
    Assignment.objects.filter(hit__in=hits, place=place).update(
        annotator=member, state="claimed", claimed_at=now, lease_expires_at=now + timedelta(hours=5)
    )
    for assignment in Assignment.objects.filter(annotator=member).order_by("hit__position"):
        for position in range(1, ITEMS_PER_HIT + 1):
            form = {
                **fields,
                "csrfmiddlewaretoken": token,
                "scheme": study.scheme_version.signature,
                "submission": str(uuid4()),
                "seconds": "41.5",
                "version": "0",
            }
            person.saves.append(Request(f"/work/assignments/{assignment.pk}/{position}/", person.cookie, form))
            text = {"csrfmiddlewaretoken": token, "assignment": str(assignment.pk), "text": EXPLANATION}
            person.trivial.append(Request("/trivial/", person.cookie, text))
    return person


def session_of(user: "User") -> str:
    """The key of a session in which they are signed in."""
    from django.conf import settings
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
    from django.contrib.sessions.backends.db import SessionStore

    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.create()
    return str(session.session_key)


def web_command(database: str, port: int) -> list[str]:
    """The web server as it is deployed: by Compose on PostgreSQL, by the demo on the embedded default."""
    if database == "sqlite":
        from annotation_platform.demo.__main__ import services

        return services(port, Path())[0].command
    import yaml

    command = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]["web"]["command"]
    command[command.index("--port") + 1] = str(port)
    return [sys.executable, "-m", *command]


@contextmanager
def server(database: str, environment: dict[str, str] | None = None) -> Iterator[int]:
    """The platform's own server on a free port, in this process's environment or another."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen([*web_command(database, port), "--log-level", "warning"], env=environment)
    try:
        for _ in range(200):
            time.sleep(0.1)
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/health/").read()
                break
            except OSError:
                continue
        else:
            raise SystemExit("The server did not start.")
        yield port
    finally:
        process.terminate()
        process.wait()


def check_rows(people: list[Person], *, saved: int) -> None:
    """Every save that was answered must be there, once."""
    from annotation_platform.annotations.models import Annotation, Rating

    stored, ratings = Annotation.objects.filter(is_current=True).count(), Rating.objects.count()
    if stored != saved or ratings != 2 * saved:
        raise SystemExit(f"{saved} judgments were sent, {stored} are stored with {ratings} ratings.")


def show(database: str, saves: list[Load], trivials: list[Load], comparison: Comparison) -> None:
    failures = [failure for load in saves + trivials for failure in load.failures]
    print(f"{database}: {ANNOTATORS} annotators at once, {SAVES_PER_ROUND * ANNOTATORS} requests a round")
    for name, loads in (("saves", saves), ("trivial", trivials)):
        p50, p95 = (median(1000 * load.quantile(q) for load in loads) for q in (0.5, 0.95))
        worst = max(1000 * load.quantile(0.95) for load in loads)
        rate = median(load.per_second for load in loads)
        print(f"  {name:8} {rate:5.0f}/s, p50 {p50:.0f} ms, p95 {p95:.0f} ms (worst round {worst:.0f} ms)")
    ratios = comparison.ratios
    print(
        f"  saves reach {median(ratios):.2f} of the trivial view "
        f"({min(ratios):.2f}–{max(ratios):.2f}, {comparison.rounds})"
    )
    print(f"  {len(failures)} failures {sorted(set(failures))[:3] if failures else ''}")


if __name__ == "__main__":
    raise SystemExit(main())
