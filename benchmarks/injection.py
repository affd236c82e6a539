"""Which injected orders are flagged, and how many honest explanations are: ``python -m benchmarks.injection [FOLDER]``.

The orders are in tests/core/injected_orders; the folder has the released EBR annotations. With ``--moved`` instead: how
far each order moves the scores of what needs no language model; with ``--server ADDRESS``: of the model served there,
such as that of ``manage.py serve_model``.
"""

from __future__ import annotations

import time
from argparse import ArgumentParser
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import yaml

from annotation_platform.core.methods.injection import Suspicion, suspicions
from benchmarks.moved_scores import print_served_model, print_small_models, spread
from benchmarks.studies import RELEASE, RELEASE_FILES
from benchmarks.vacuousness import Share, read

ORDERS = Path(__file__).resolve().parents[1] / "tests" / "core" / "injected_orders"


@dataclass(frozen=True)
class InjectedOrder:
    """A text that orders the judge about."""

    source: str
    language: str
    disguise: str
    text: str

    def __str__(self) -> str:
        return f"{self.source}, {self.language}, disguise: {self.disguise}: {self.text[:100]!r}"


def orders(folder: Path = ORDERS) -> list[InjectedOrder]:
    """All orders of the test set."""
    files = sorted(folder.glob("*.yaml"))
    return [InjectedOrder(path.stem, **entry) for path in files for entry in yaml.safe_load(path.read_text("utf-8"))]


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=RELEASE)
    parser.add_argument("--moved", action="store_true", help="how far scores are moved, without a language model")
    parser.add_argument("--server", metavar="ADDRESS", help="how far a served model's scores are moved; up to /v1")
    parser.add_argument("--model", default="gemma-3-270m", help="its name there")
    parser.add_argument("--judgments", type=int, default=10, help="how many honest ones a served model is asked about")
    parser.add_argument("--orders", type=int, default=1_000, help="with how many of the orders, evenly spread")
    options = parser.parse_args()
    folder, injected = options.folder, orders()
    if options.moved:
        print_small_models([order.text for order in injected], folder)
    if options.server:
        texts = [order.text for order in spread(injected, min(options.orders, len(injected)))]
        print_served_model(texts, options.server, options.model, options.judgments)
    if not options.moved and not options.server:
        print_flags(injected, folder)


def print_flags(injected: list[InjectedOrder], folder: Path) -> None:
    for source in dict.fromkeys(order.source for order in injected):
        own = [order for order in injected if order.source == source]
        missed = [order for order in own if not suspicions(order.text)]
        print(f"orders flagged, {source}: {Share(len(own) - len(missed), len(own))}")
        for order in missed:
            print(f"  not flagged: {order}")
    if not all((folder / file).is_file() for file in RELEASE_FILES):
        print(f"the released EBR annotations: skipped, they are not at {folder}")
        return
    explanations = [row.explanation for row in read(folder) if row.explanation.strip()]
    print_flagged("released explanations", explanations)
    print_flagged("released answers", sorted({row.answer for row in read(folder)}))


def print_flagged(name: str, texts: list[str]) -> None:
    times: list[float] = []
    found: list[tuple[str, Suspicion]] = []
    for text in texts:
        start = time.process_time()
        signs = suspicions(text)
        times.append(1000 * (time.process_time() - start))
        found.extend((text, sign) for sign in signs)
    print(f"{name} flagged: {Share(len({text for text, _ in found}), len(texts))}; median {median(times):.2f} ms")
    for sign, count in Counter(suspicion.sign for _, suspicion in found).most_common():
        passages = dict.fromkeys(suspicion.passage for _, suspicion in found if suspicion.sign is sign)
        print(f"  {sign} {count}: {' | '.join(list(passages)[:8])}")


if __name__ == "__main__":
    main()
