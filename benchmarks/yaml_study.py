"""Reading a study in the platform's own format: seconds of the processor and peak memory for ten megabytes of YAML.

``python -m benchmarks.yaml_study`` writes such a file and reads and checks it in this very process.
"""

from __future__ import annotations

import random
import resource
import sys
import tempfile
import time
from pathlib import Path

import yaml

from annotation_platform.corpus.importers.document import Document
from annotation_platform.corpus.importers.native import NativeStudy

WORDS = ("the town", "lies", "by a river", "and has", "two bridges", "of stone", "built in", "another century")
ARTICLES = 1_050


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "study.yaml"
        _write(path)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        begun = time.process_time()
        study = Document.read(path).parse(NativeStudy)
        seconds = time.process_time() - begun
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        size = path.stat().st_size / 1e6
    judgments = f"{len(study.judgments):,} judgments"
    sys.stdout.write(f"{size:.1f} MB of YAML, {judgments}: {seconds:.1f} s of processor, peak {after} MB ")
    sys.stdout.write(f"({before} MB before)\n")
    return 0


def _write(path: Path) -> None:
    """One article at a time, so that writing takes no memory that reading could use."""
    draw = random.Random(1)

    def text(words: int) -> str:
        return " ".join(draw.choice(WORDS) for _ in range(words))

    def rows(parts: list[object], indent: int) -> str:
        lines = yaml.dump(parts, Dumper=yaml.CSafeDumper, sort_keys=False).splitlines()
        return "".join(f"{' ' * indent}{line}\n" for line in lines)

    systems = ("alder", "birch", "cedar")
    with path.open("w") as file:
        file.write("format: annotation-platform/1\ncorpus:\n  name: Towns\n  articles:\n")
        for number in range(ARTICLES):
            asked = [{"id": f"q{q}", "text": text(6), "answers": {s: text(20) for s in systems}} for q in range(4)]
            article = {"id": f"a{number}", "sentences": [text(10) for _ in range(12)], "questions": asked}
            file.write(rows([article], 2))
        file.write("judgments:\n")
        values = {"correct": "yes", "completeness": "missing_minor", "sentences": [1, 3]}
        for number in range(ARTICLES):
            for q, system, who in ((q, s, w) for q in range(4) for s in systems for w in ("Wren", "Lark")):
                about = {"annotator": who, "article": f"a{number}", "question": f"q{q}", "system": system}
                file.write(rows([about | {"values": values | {"reasons": text(10)}}], 0))


if __name__ == "__main__":
    raise SystemExit(main())
