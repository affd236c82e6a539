"""Freezing a million judgments in three formats, beside the three exports alone. ``python -m benchmarks.freeze``.

From PostgreSQL (BENCH_POSTGRES_URL names a server). The job runs as the worker runs it, in a process of its own, whose
peak memory is the operating system's account of it. Figures are measured before, apart, as they are when batches close;
the freeze reads the judgments again to see that nothing has changed, and takes the figures over.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from benchmarks.export import database, run
from benchmarks.protocol import run_apart, seconds

FORMATS = ("csv", "jsonl", "parquet")
STEPS = ("look", "figures", "files", "deflate")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--judgments", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--on", choices=("postgresql", "sqlite"), default="postgresql")
    parser.add_argument("--resamples", type=int, default=2, help="of the figures; a study gets 1,000, which take long")
    parser.add_argument("--step", choices=("prepare", "freeze", *STEPS), help="only this, in this very process")
    options = parser.parse_args()
    if options.step:
        work(options.step, options.resamples)
        return
    with (
        tempfile.TemporaryDirectory() as folder,
        database(options.on, Path(folder), options.judgments, fill="fill_for_pages") as environment,
    ):
        if environment is not None:
            os.environ.update(environment)
            measure(environment, Path(folder), options)


def measure(environment: dict[str, str], folder: Path, options: argparse.Namespace) -> None:
    def apart(step: str) -> tuple[float, int]:
        command = [sys.executable, "-m", "benchmarks.freeze", "--step", step, "--resamples", str(options.resamples)]
        return run_apart(command)

    spent, peak = apart("prepare")
    print(f"{options.judgments:,} judgments on {options.on}, {options.resamples:,} resamples")
    print(f"Figures, measured before: {seconds(spent)}, {peak / 1e6:,.0f} MB")
    exported, frozen, peaks = [], [], []
    for _ in range(options.rounds):
        exported.append(sum(run(format, environment, folder / format)[0] for format in FORMATS))
        spent, peak = apart("freeze")
        frozen.append(spent)
        peaks.append(peak)
    print(f"  freeze, with start               {seconds(median(frozen)):>8}   peak {max(peaks) / 1e6:,.0f} MB")
    print(f"  the three exports alone          {seconds(median(exported)):>8}")
    print("  (wanted: at most 60 s and 300 MB)\nIts parts, each in a process of its own:")
    for step in STEPS:
        spent, peak = apart(step)
        print(f"  {step:<32} {seconds(spent):>8}   peak {peak / 1e6:,.0f} MB")


def work(step: str, resamples: int) -> None:
    """``prepare``, the whole job, or one of its parts."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotation_platform.settings")
    import django

    django.setup()
    from annotation_platform.accounts.actors import Actor
    from annotation_platform.analysis.snapshots.taking import take_snapshot
    from annotation_platform.imports.sql import update_planner_statistics
    from annotation_platform.jobs.contract import claim, execute, run_job, waiting
    from annotation_platform.jobs.memory import give_large_back_at_once
    from annotation_platform.releases.freeze.care import look_through, people_in
    from annotation_platform.releases.freeze.jobs import RELEASES
    from annotation_platform.releases.freeze.packing import PACKINGS
    from annotation_platform.releases.freeze.services import request_release
    from annotation_platform.releases.freeze.writing import write_release
    from annotation_platform.releases.models import Release
    from annotation_platform.studies.models import Role, Study

    give_large_back_at_once()  # as a worker does
    defaults = take_snapshot.__kwdefaults__
    assert defaults is not None
    defaults["resamples"] = resamples  # the job itself asks for those that a study gets
    study = Study.objects.select_related("scheme_version").get()
    began = time.process_time()
    if step == "prepare":
        update_planner_statistics()  # as an import does at its end
        take_snapshot(study=study)
    elif step == "freeze":
        asked = request_release(
            study=study,
            requested_by=study.members.get(role=Role.ADMIN),
            title="Benchmark",
            authors="A Group",
            licence="CC-BY-4.0",
            actor=Actor.operator("benchmark"),
        )
        claimed, started = claim(RELEASES, asked.pk), time.time()
        assert claimed is not None
        done = execute(RELEASES, claimed)
        assert done.status == Release.Status.DONE, done.error or list(done.findings.values_list("kind", "text")[:5])
        assert done.finished_at is not None
        frozen = done.finished_at.timestamp() - started
        print(f"    frozen after {frozen:.1f} s by the clock")
    elif step == "look":
        release = study.releases.latest("pk")
        look_through(release, people_in(release))
    elif step == "figures":
        take_snapshot(study=study)
    elif step == "deflate":
        for pk in waiting(PACKINGS):
            run_job(PACKINGS, pk)
    else:
        release, snapshot = study.releases.latest("pk"), study.snapshots.latest("pk")
        with tempfile.TemporaryDirectory() as folder:
            write_release(release=release, snapshot=snapshot, folder=Path(folder))
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
    print(f"    {step}: {time.process_time() - began:.1f} s of processor time in this process, peak {most:,.0f} MB")


if __name__ == "__main__":
    main()
