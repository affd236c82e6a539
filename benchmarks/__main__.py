"""``make bench``: every measurement, or those that are named, each in processes of its own, one after the other."""

import argparse
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
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"without any: all. {', '.join(PARTS)}")
    parts = parser.parse_args().parts or PARTS
    if unknown := [part for part in parts if part not in PARTS]:
        parser.error(f"There is no part {', '.join(unknown)}. There are {', '.join(PARTS)}.")
    failed = []
    for part in parts:
        print(f"\n== {part} ==", flush=True)
        if subprocess.run([sys.executable, "-m", f"benchmarks.{part}"]).returncode:
            failed.append(part)
    if failed:
        print(f"\nThese did not finish: {', '.join(failed)}", file=sys.stderr)
    return bool(failed)


if __name__ == "__main__":
    raise SystemExit(main())
