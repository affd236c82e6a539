"""Which released explanations are found vacuous, and how well that fits labels given by hand.

``python -m benchmarks.vacuousness [FOLDER]``; the folder has the released EBR annotations.
"""

from __future__ import annotations

import csv
import json
import random
import time
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from pathlib import Path
from statistics import median, quantiles

from annotation_platform.core.methods.vacuousness import ExplanationAssessment, assess_explanation
from benchmarks.studies import RELEASE, RELEASE_FILES

HAND_LABELS = Path(__file__).with_name("vacuousness_labels.csv")
LABELS = ("How complete is the answer?", "complete", "missing minor", "missing major", "missing all")
FIRST_SEED, LATER_SEED = 20250101, 20250202
SAMPLES = {
    "judgments": "judgments, drawn before the measure was written",
    "texts": "different texts, drawn before it was written",
    "later": "different texts, drawn after the word lists were finished",
}
Z = 1.959964  # of a 95 % interval


@dataclass(frozen=True)
class Explained:
    """A released judgment that has an explanation."""

    place: str  # file/article/question/system/number
    annotator: str
    label: str
    explanation: str
    question: str
    answer: str

    @property
    def text(self) -> str:
        return self.explanation.strip().lower()

    @cached_property
    def assessment(self) -> ExplanationAssessment:
        return assess_explanation(self.explanation, labels=LABELS, context=(self.question, self.answer))


@dataclass(frozen=True)
class Share:
    """How many of how many, with Wilson's interval."""

    part: int
    whole: int

    def __str__(self) -> str:
        if not self.whole:
            return "none"
        p, n = self.part / self.whole, self.whole
        middle, spread = p + Z**2 / (2 * n), Z * sqrt(p * (1 - p) / n + Z**2 / (4 * n**2))
        low, high = ((middle + sign * spread) / (1 + Z**2 / n) for sign in (-1, 1))
        return f"{p:.3f} ({low:.3f}–{high:.3f}), {self.part:,} of {n:,}"


def read(folder: Path) -> list[Explained]:
    """All released judgments, in the order of the files."""
    found = []
    for file in RELEASE_FILES:
        for article_key, article in json.loads((folder / file).read_text(encoding="utf-8")).items():
            for question_key, question in article["question_details"].items():
                for system, answer in question["system"].items():
                    for number, row in answer["annotation_details"].items():
                        place = "/".join((Path(file).stem, article_key, question_key, system, number))
                        texts = row["feedback"], question["question"], answer["answer"]
                        found.append(Explained(place, row["workerid"], row["complete_label"], *texts))
    return found


def draw(judgments: Sequence[Explained]) -> dict[str, list[Explained]]:
    """The three samples that were labelled by hand; no text is in two of them."""
    rng = random.Random(FIRST_SEED)
    rows = rng.sample(judgments, 150)
    texts = rng.sample(_first_of_each_text(judgments, without=rows), 150)
    later = random.Random(LATER_SEED).sample(_first_of_each_text(judgments, without=rows + texts), 120)
    return {"judgments": rows, "texts": texts, "later": later}


def _first_of_each_text(judgments: Sequence[Explained], *, without: Iterable[Explained]) -> list[Explained]:
    seen = {row.text for row in without}
    first: dict[str, Explained] = {}
    for row in judgments:
        first.setdefault(row.text, row)
    return [row for text, row in first.items() if text not in seen]


def flagged(judgments: Sequence[Explained]) -> Share:
    return Share(sum(row.assessment.is_vacuous for row in judgments), len(judgments))


def compare(sample: Sequence[Explained], labels: dict[str, str]) -> tuple[Share, Share, Share]:
    """Precision and recall where the hand label is clear, and the share found vacuous where it is not."""
    n = Counter((labels[row.place], row.assessment.is_vacuous) for row in sample)
    right, unclear = n["vacuous", True], n["unclear", True]
    return (
        Share(right, right + n["informative", True]),
        Share(right, right + n["vacuous", False]),
        Share(unclear, unclear + n["unclear", False]),
    )


def hand_labels() -> dict[str, str]:
    with HAND_LABELS.open(encoding="utf-8", newline="") as lines:
        return {row["judgment"]: row["label"] for row in csv.DictReader(lines)}


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=RELEASE)
    folder = parser.parse_args().folder
    if not all((folder / file).is_file() for file in RELEASE_FILES):
        print(f"the released EBR annotations: skipped, they are not at {folder}")
        return
    judgments = read(folder)
    print_times(judgments)
    print(f"\nfound vacuous: {flagged(judgments)} judgments")
    print(f"  of different texts: {flagged(_first_of_each_text(judgments, without=()))}")
    print_by("label", judgments, lambda row: row.label)
    print_by("annotator", judgments, lambda row: row.annotator)
    reasons = Counter(reason for row in judgments for reason in row.assessment.reasons)
    print("reasons: " + ", ".join(f"{reason} {n:,}" for reason, n in reasons.most_common()))

    labels, samples = hand_labels(), draw(judgments)
    print("\nagainst hand labels (precision | recall | found vacuous of what was unclear by hand)")
    for name, sample in samples.items():
        print(f"  {SAMPLES[name]}\n    " + " | ".join(map(str, compare(sample, labels))))
    together = [row for sample in samples.values() for row in sample]
    print("  all\n    " + " | ".join(map(str, compare(together, labels))))


def print_by(name: str, judgments: Sequence[Explained], key: Callable[[Explained], str]) -> None:
    groups: dict[str, list[Explained]] = {}
    for row in judgments:
        groups.setdefault(key(row), []).append(row)
    for value in sorted(groups):
        print(f"  {name} {value}: {flagged(groups[value])}")


def print_times(judgments: Sequence[Explained]) -> None:
    times = []
    for row in judgments:
        start = time.process_time()
        assert row.assessment is not None
        times.append(1000 * (time.process_time() - start))
    print(f"one explanation: median {median(times):.2f} ms, 99 % under {quantiles(times, n=100)[-1]:.2f} ms")


if __name__ == "__main__":
    main()
