"""How fast a study's pages answer at 12,650 and at 1,000,000 judgments: ``python -m benchmarks.pages``.

Two databases on PostgreSQL (BENCH_POSTGRES_URL names the server), each behind the platform's own server as deployed,
with a snapshot and the explorer's rows written by the worker's services. Every page is asked for by a signed-in admin
over a kept-alive connection, small and large in turn, so that both see the same moods of the machine. What counts is
the ratio of the two 95th percentiles.
"""

from __future__ import annotations

import argparse
import http.client
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING
from urllib.parse import quote

from benchmarks.databases import database
from benchmarks.saving import ROOT, migrated, server

if TYPE_CHECKING:
    from annotation_platform.studies.models import Study

SMALL, LARGE = 12_650, 1_000_000
ROUNDS = 40
MOST_TIMES = 2.0
DATABASE = "bench_pages_{}"


@dataclass
class Site:
    """A server of one size, with a connection that is kept alive."""

    port: int
    cookie: str
    study: dict[str, str]
    seconds: dict[str, list[float]] = field(default_factory=dict)

    def get(self, path: str) -> float:
        """Seconds until the page is whole."""
        if not hasattr(self, "connection"):
            self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=600)
        began = time.perf_counter()
        self.connection.request("GET", path.format(**self.study), headers={"Cookie": self.cookie})
        response = self.connection.getresponse()
        response.read()
        if response.status != 200:
            raise SystemExit(f"{path} answered {response.status}.")
        return time.perf_counter() - began


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fill", type=int, help="only fill the database that DATABASE_URL names, with so many")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--large", type=int, default=LARGE)
    parser.add_argument("--keep", action="store_true", help="keep the databases, and use those that are there")
    options = parser.parse_args()
    if options.fill:
        return fill(options.fill)
    with ExitStack() as stack:
        small, large = (stack.enter_context(site(size, options.keep)) for size in (SMALL, options.large))
        if small is None or large is None:
            return 0
        return report(measure(small, large, rounds=options.rounds), options.large, options.rounds)


def fill(judgments: int) -> int:
    """A study of that size with all that its pages read; prints the admin's session and the study's parts."""
    import django

    django.setup()
    from django.conf import settings
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
    from django.contrib.sessions.backends.db import SessionStore

    from annotation_platform.studies.models import Role, Study
    from benchmarks.synthetic_judgments import analyze, fill_study

    if (study := Study.objects.first()) is None:
        study = fill_study(judgments=judgments, for_pages=True)
        analyze()
        explore(study)
        analyze()
    user = study.members.get(role=Role.ADMIN).user
    assert user is not None
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.create()
    middle = study.items.order_by("pk")[study.items.count() // 2]
    member = study.members.filter(role=Role.ANNOTATOR).order_by("pk")[7]
    run = study.scoring_runs.get().pk
    batch = study.batches.count() // 2 + 1
    print(session.session_key, study.slug, middle.pk, batch, member.pk, member.pseudonym, run, sep="\t")
    return 0


def explore(study: Study) -> None:
    """What the worker writes. Flags stand for texts looked through: those take half an hour."""
    from django.db import connection

    from annotation_platform.analysis.explorer.indexing import write_citations, write_figures
    from annotation_platform.analysis.models import ExploredStudy
    from annotation_platform.analysis.snapshots.taking import take_snapshot

    began = time.process_time()
    snapshot = take_snapshot(study=study, resamples=2)
    print(f"snapshot: {time.process_time() - began:.0f} s of CPU", file=sys.stderr)
    began = time.process_time()
    write_citations(study, write_figures(study, snapshot.run, None))
    print(f"figures of items: {time.process_time() - began:.0f} s of CPU", file=sys.stderr)
    with connection.cursor() as cursor:
        for flag, every in (("vacuous", 7), ("suspicious", 997)):
            cursor.execute(
                "INSERT INTO analysis_itemflag (study_id, item_id, flag, count)"
                f" SELECT study_id, id, '{flag}', 1 FROM studies_item WHERE id % {every} = 0"
            )
    ExploredStudy.objects.create(study=study, snapshot=snapshot)


@dataclass(frozen=True)
class Filled:
    """A database with a study: the environment of the platform on it, an admin's session, and the study's parts."""

    environment: dict[str, str]
    session: str
    study: dict[str, str]


@contextmanager
def site(judgments: int, keep: bool) -> Iterator[Site | None]:
    """A filled database and a server on it; None where there is no server for the database."""
    with filled(DATABASE.format(judgments), judgments, keep=keep) as made:
        if made is None:
            yield None
            return
        with server("postgresql", made.environment) as port:
            yield Site(port, f"sessionid={made.session}", made.study)


@contextmanager
def filled(name: str, judgments: int, *, keep: bool = False, checkout: Path = ROOT) -> Iterator[Filled | None]:
    """A database that the platform in this checkout has filled; None where there is no server for it."""
    with tempfile.TemporaryDirectory() as folder, database(name, keep=keep) as made:
        if made is None:
            yield None
            return
        environment = {
            **os.environ,
            "DATABASE_URL": made.url,
            "DATA_DIR": folder,
            "DJANGO_SETTINGS_MODULE": "benchmarks.saving_settings",
            "PYTHONPATH": str(checkout),
        }
        environment.pop("REDIS_URL", None)
        if made.is_new:
            migrated(environment, folder=checkout)
        command = [sys.executable, "-m", "benchmarks.pages", "--fill", str(judgments)]
        told = subprocess.run(command, env=environment, cwd=checkout, check=True, stdout=subprocess.PIPE, text=True)
        session, slug, item, batch, member, annotator, run = told.stdout.rstrip("\n").split("\t")
        parts = {
            "slug": slug,
            "item": item,
            "batch": batch,
            "member": member,
            "annotator": quote(annotator),
            "run": run,
        }
        yield Filled(environment, session, parts)


def pages() -> dict[str, str]:
    """Every page that a study's researchers read, by name."""
    return {
        "study home": "/studies/{slug}/",
        "batch": "/studies/{slug}/batches/{batch}/",
        "agreement": "/studies/{slug}/agreement/?aspect=completeness",
        "annotators": "/studies/{slug}/agreement/annotators/?aspect=completeness",
        "pairs": "/studies/{slug}/agreement/pairs/?aspect=completeness",
        "pairs, its chart": "/studies/{slug}/agreement/completeness/pairs-raw.json",
        "one annotator": "/studies/{slug}/agreement/annotators/{member}/?aspect=completeness",
        "systems": "/studies/{slug}/agreement/systems/?aspect=completeness",
        "number of raters": "/studies/{slug}/agreement/raters/?aspect=completeness",
        "variants": "/studies/{slug}/agreement/variants/?aspect=completeness",
        "human and LLM": "/studies/{slug}/agreement/human-llm/?aspect=completeness",
        "for a paper": "/studies/{slug}/agreement/paper/",
        "snapshots": "/studies/{slug}/agreement/snapshots/",
        "sentences": "/studies/{slug}/agreement/sentences/",
        "items": "/studies/{slug}/items/",
        "items, by disagreement": "/studies/{slug}/items/?sort=rescaled",
        "items, seen differently": "/studies/{slug}/items/?seen=differently",
        "items, flagged": "/studies/{slug}/items/?flag=suspicious&sort=rescaled",
        "items, far down": "/studies/{slug}/items/?sort=raw&after=0.0~{item}",
        "items, system and annotator": "/studies/{slug}/items/?system=system-3&annotator={annotator}",
        "items, common words": "/studies/{slug}/items/?q=storm+damaged",
        "items, rare word": "/studies/{slug}/items/?q=article-7",
        "items, word of nothing": "/studies/{slug}/items/?q=submarine",
        "item": "/studies/{slug}/items/{item}/",
        "scoring": "/studies/{slug}/scoring/",
        "run": "/studies/{slug}/scoring/runs/{run}/",
        "exports": "/studies/{slug}/exports/",
    }


def measure(small: Site, large: Site, *, rounds: int) -> dict[str, tuple[list[float], list[float]]]:
    """Seconds of every page on both sites, asked in turn, after some that do not count."""
    found = {}
    for name, path in pages().items():
        times: tuple[list[float], list[float]] = ([], [])
        for turn in range(rounds + 5):
            for one, into in zip((small, large), times, strict=True):
                seconds = one.get(path)
                if turn >= 5:
                    into.append(seconds)
        found[name] = times
    return found


def report(found: dict[str, tuple[list[float], list[float]]], large_size: int, rounds: int) -> int:
    print(f"p95 in ms of {rounds} requests each, one at a time")
    print(f"  {'page':28}{SMALL:>10,}{large_size:>12,}{'times':>8}{'medians':>9}")
    slow = []
    for name, times in found.items():
        small, large = (1000 * quantile(each, 0.95) for each in times)
        print(f"  {name:28}{small:10.1f}{large:12.1f}{large / small:8.2f}{median(times[1]) / median(times[0]):9.2f}")
        if large > MOST_TIMES * small:
            slow.append(name)
    print(f"  more than {MOST_TIMES:g} times as long: {', '.join(slow) if slow else 'none'}")
    return 0


def quantile(values: list[float], q: float) -> float:
    return sorted(values)[min(int(q * len(values)), len(values) - 1)]


if __name__ == "__main__":
    raise SystemExit(main())
