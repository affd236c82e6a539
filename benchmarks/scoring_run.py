"""A run of the distilled rescaler over many judgments on PostgreSQL. ``python -m benchmarks.scoring_run``.

The same run at two sizes, each in a process of its own: what does the work cost a judgment, and does memory grow with
their number? Seconds are those of the run alone, without start-up; CPU seconds are the client's, which is what a
loaded machine does not change; the peak is the operating system's account of the process.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from annotation_platform.accounts.actors import Actor
from benchmarks.export import ROOT, database
from benchmarks.protocol import seconds

SIZES = (25_000, 100_000)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--execute", action="store_true", help="only the run, in the database of DATABASE_URL")
    options = parser.parse_args()
    if options.execute:
        execute_run()
        return
    print("A run of the distilled rescaler, PostgreSQL")
    for size in options.sizes:
        with tempfile.TemporaryDirectory() as folder, database("postgresql", Path(folder), size) as environment:
            if environment is None:
                return
            measure(environment)


def measure(environment: dict[str, str]) -> None:
    command = [sys.executable, "-m", "benchmarks.scoring_run", "--execute"]
    printed = subprocess.run(command, env=environment, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    judgments, spent, cpu, before, peak = map(float, printed.split())
    print(
        f"  {judgments:>9,.0f} judgments  {seconds(spent):>8}  {judgments / spent:>8,.0f} judgments/s"
        f"  {seconds(cpu):>8} of CPU  peak {peak:,.0f} MB ({peak - before:,.0f} MB above its start)"
    )


def execute_run() -> None:
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotation_platform.settings")
    django.setup()

    from annotation_platform.core.methods.distilled.rescaler import load_default
    from annotation_platform.jobs.contract import claim, execute
    from annotation_platform.scoring.services import RUNS, start_run
    from annotation_platform.studies.models import Study

    load_default()  # start-up: numpy, scipy and the artefact
    before = peak_megabytes()
    run = claim(RUNS, start_run(study=Study.objects.get(), scorer="distilled", actor=Actor.operator("benchmark")).pk)
    assert run is not None
    began, cpu = time.perf_counter(), time.process_time()
    done = execute(RUNS, run)
    spent, cpu = time.perf_counter() - began, time.process_time() - cpu
    assert (done.status, done.scores.count()) == ("done", done.total), done.error
    print(done.total, spent, cpu, before, peak_megabytes())


def peak_megabytes() -> float:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e6 if sys.platform == "darwin" else peak * 1024 / 1e6


if __name__ == "__main__":
    main()
