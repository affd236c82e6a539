"""``make bench``: every measurement, each in processes of its own, one after the other."""

import subprocess
import sys

PARTS = (
    "api",
    "client",
    "release",
    "importing",
    "agreement",
    "statistics",
    "strengths",
    "prediction_powered",
    "distilled",
    "scoring_run",
    "equivalence",
    "rev",
    "export",
    "freeze",
    "snapshot",
    "saving",
    "slow_clients",
    "claiming",
    "crowd_load",
    "pages",
    "monitor",
    "gateway",
    "charts",
    "footprint",
)


def main() -> int:
    failed = []
    for part in PARTS:
        print(f"\n== {part} ==", flush=True)
        if subprocess.run([sys.executable, "-m", f"benchmarks.{part}"]).returncode:
            failed.append(part)
    if failed:
        print(f"\nThese did not finish: {', '.join(failed)}", file=sys.stderr)
    return bool(failed)


if __name__ == "__main__":
    raise SystemExit(main())
