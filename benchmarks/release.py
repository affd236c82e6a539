"""The released annotations through the platform: import, scoring, the whole agreement report.

``python -m benchmarks.release`` runs on the embedded SQLite and on PostgreSQL (where one answers;
BENCH_POSTGRES_URL names the server), each time on a database of its own. An import is read from the files,
checked and committed as a new study; a scoring is a new run that stores every score; a report is a snapshot under
a new seed, so that none comes from the cache.
"""

from __future__ import annotations

import argparse
import itertools
import os
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from statistics import median
from typing import Any

from annotation_platform.accounts.actors import Actor
from benchmarks.protocol import Side, seconds, timed
from benchmarks.saving import prepared_environment
from benchmarks.studies import RELEASE, RELEASE_FILES

ROUNDS = 5
IMPORTED_TABLES = (
    "corpus_question",
    "corpus_answer",
    "studies_hit",
    "studies_item",
    "studies_assignment",
    "annotations_annotation",
    "annotations_rating",
    "scoring_recordedreply",
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--on", choices=["postgresql", "sqlite"], help="only this database, in this very process")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    options = parser.parse_args()
    if not RELEASE.is_dir():
        print("The released EBR data are not in ../shared/data/ebr, so there is nothing to measure.")
        return 0
    if options.on:
        return measure(options.on, options.rounds)
    for database in ("sqlite", "postgresql"):
        with prepared_environment(database) as environment:
            if environment is not None:
                environment["DJANGO_SETTINGS_MODULE"] = "annotation_platform.settings"
                command = [
                    sys.executable,
                    "-m",
                    "benchmarks.release",
                    "--on",
                    database,
                    "--rounds",
                    str(options.rounds),
                ]
                subprocess.run(command, env=environment, check=True)
    return 0


def measure(database: str, rounds: int) -> int:
    os.environ["DJANGO_SETTINGS_MODULE"] = "annotation_platform.settings"
    import django

    django.setup()
    from annotation_platform.annotations.models import Annotation
    from annotation_platform.studies.models import Study

    numbers = itertools.count(1)
    judgments = import_release(f"Release {next(numbers)}")
    study = Study.objects.get()
    assert Annotation.objects.closed().filter(item__study=study).count() == judgments
    score(study, "recorded", {"lambda": 0.5})
    limit = copied_inside()
    steps: list[tuple[str, Callable[[], Any]]] = [
        ("import", lambda: import_release(f"Release {next(numbers)}")),
        ("score, recorded replies", lambda: score(study, "recorded")),
        ("score, distilled rescaler", lambda: score(study, "distilled")),
    ]
    print(f"\nThe released EBR annotations on {database}: {judgments:,} judgments")
    print(f"  (the database alone copies the rows of an import in {seconds(limit)})")
    # The report is the last, with three runs that differ: two scorers, and another λ.
    steps.append(("agreement report, three runs", lambda: report(study, next(numbers))))
    for name, run in steps:
        processor: list[float] = []
        timing = timed(Side(name, partial(spending, run, processor)), rounds=rounds)
        print(
            f"  {timing}; {median(processor[1:]):.2f} s of processor time; {judgments / timing.median:,.0f} judgments/s"
        )
    return 0


def spending(run: Callable[[], Any], processor: list[float]) -> None:
    """Run it, and note the processor time of this process: on a busy machine the clock says little."""
    start = time.process_time()
    run()
    processor.append(time.process_time() - start)


def import_release(name: str) -> int:
    """What ``manage.py import_study ebr`` does after start-up; returns the number of judgments."""
    from annotation_platform.corpus.importers import FORMATS, open_files, read_study
    from annotation_platform.imports.storing import import_study

    format = FORMATS["ebr"]
    with read_study(format, open_files(format, [RELEASE / file for file in RELEASE_FILES])) as imported:
        return import_study(imported=imported, name=name, actor=Actor.operator("benchmark")).judgments


def score(study: Any, scorer: str, parameters: dict[str, Any] | None = None) -> None:
    """What a worker does, and ``manage.py score_study`` before it measures the agreement."""
    from annotation_platform.jobs.contract import claim, execute
    from annotation_platform.scoring.services import RUNS, start_run

    run = claim(
        RUNS, start_run(study=study, scorer=scorer, parameters=parameters, actor=Actor.operator("benchmark")).pk
    )
    assert run is not None
    done = execute(RUNS, run)
    assert (done.status, done.done) == ("done", done.total), done.error


def report(study: Any, seed: int) -> None:
    """All that ``manage.py report_study --json`` prints."""
    from annotation_platform.analysis.snapshots.taking import take_snapshot

    assert take_snapshot(study=study, seed=seed).figures["aspects"]


def copied_inside() -> float:
    """Seconds in which the database alone copies all rows of an import, without client, keys or indexes."""
    from django.db import connection, transaction

    with transaction.atomic(), connection.cursor() as cursor:
        start = time.perf_counter()
        for table in IMPORTED_TABLES:
            cursor.execute(f"CREATE TEMPORARY TABLE copy_of_{table} AS SELECT * FROM {table}")
        elapsed = time.perf_counter() - start
        transaction.set_rollback(True)
    return elapsed


if __name__ == "__main__":
    sys.exit(main())
