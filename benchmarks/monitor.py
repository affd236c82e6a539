"""How fast the monitor's table answers with 2,000 annotators at a million judgments: ``python -m benchmarks.monitor``.

A database of its own on PostgreSQL (BENCH_POSTGRES_URL names the server). The table is asked for as the page asks for
it, through all middleware in one process, in every order that it can be sorted by; a bare COUNT of the judgments is
taken in turn with it, so that both see the same moods of the machine. How long the worker measures is told beside it.
"""

from __future__ import annotations

import argparse
import os
import time

import numpy as np

from benchmarks.databases import database

JUDGMENTS, ANNOTATORS, ROUNDS = 1_000_000, 2_000, 20
MOST_SECONDS = 0.2
DATABASE = "bench_monitor"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--judgments", type=int, default=JUDGMENTS)
    parser.add_argument("--annotators", type=int, default=ANNOTATORS)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--keep", action="store_true", help="keep the database, and use one that is there")
    options = parser.parse_args()
    with database(DATABASE, keep=options.keep) as made:
        if made is None:
            return 0
        os.environ["DATABASE_URL"] = made.url
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotation_platform.settings")
        os.environ.setdefault("DEBUG", "1")
        import django

        django.setup()
        return measured(options.judgments, options.annotators, options.rounds)


def measured(judgments: int, annotators: int, rounds: int) -> int:
    from django.conf import settings
    from django.core.management import call_command
    from django.db import connection
    from django.test import Client
    from django.urls import reverse

    from annotation_platform.crowd.monitor.measuring import measure
    from annotation_platform.crowd.monitor.selectors import SORTS
    from annotation_platform.studies.models import Role, Study
    from benchmarks import synthetic_judgments

    settings.ALLOWED_HOSTS = ["*"]
    call_command("migrate", verbosity=0)
    if (study := Study.objects.first()) is None:
        synthetic_judgments.ANNOTATORS = annotators
        study = synthetic_judgments.fill_study(judgments=judgments, for_pages=True)
        synthetic_judgments.analyze()
    began, cpu = time.perf_counter(), time.process_time()
    measure(study)
    print(f"measured by the worker in {time.perf_counter() - began:.1f} s, {time.process_time() - cpu:.1f} s of CPU")
    user = study.members.get(role=Role.ADMIN).user
    assert user is not None
    client = Client()
    client.force_login(user)
    address = reverse("monitor", args=[study.slug])
    pages: list[float] = []
    counts: list[float] = []
    for turn in range(rounds + 1):  # the first warms up
        for sort in SORTS:
            began = time.perf_counter()
            page = client.get(f"{address}?sort=-{sort}", headers={"HX-Request": "true"})
            took = time.perf_counter() - began
            if page.status_code != 200:
                raise SystemExit(f"{address} answered {page.status_code}.")
            began = time.perf_counter()
            with connection.cursor() as cursor:
                cursor.execute("SELECT count(*) FROM annotations_annotation WHERE is_current")
                (n,) = cursor.fetchone()
            if turn:
                pages.append(took)
                counts.append(time.perf_counter() - began)
    for name, seconds in (("the monitor's table", pages), (f"a bare count of {n:,} judgments", counts)):
        p50, p95 = np.percentile(seconds, [50, 95])
        print(f"{name}: median {1000 * p50:.0f} ms, p95 {1000 * p95:.0f} ms, n = {len(seconds)}")
    people = study.members.filter(role=Role.ANNOTATOR).count()
    print(f"{people:,} annotators, {n:,} judgments")
    return int(np.percentile(pages, 95) > MOST_SECONDS)


if __name__ == "__main__":
    raise SystemExit(main())
