"""REV with a real language model on rationales of ours: good, vacuous and mismatched ones for the same answers.

    python -m benchmarks.rev [--model NAME|FOLDER] [--folds N] [--items N]
    python -m benchmarks.rev --train-on-all FOLDER      the evaluator whose likelihoods come with the demo

A vacuous rationale says question and answer again; a mismatched one is the good rationale of another question. The
evaluator is the model as it comes (zero-shot). With --folds it is fine-tuned on good rationales in cross-validation:
each item is scored by an evaluator that has not seen it. Needs the optional extra, requirements-models.txt.
"""

import csv
import random
import tempfile
import time
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from annotation_platform.core.methods.rev.evaluators import Explained, Scored, score
from annotation_platform.core.methods.rev.language_models import LanguageModel, missing_extra
from annotation_platform.core.methods.rev.scores import RationaleReport, report
from annotation_platform.core.methods.rev.training import Epoch, Settings, fine_tune
from annotation_platform.core.methods.rev.vacuous import of_answers
from annotation_platform.core.methods.rev.weights import packaged
from annotation_platform.core.statistics.resampling import Bootstrap

RATIONALES = Path(__file__).with_name("rev_rationales.tsv")
CACHE = Path(__file__).resolve().parents[1] / ".embedded" / "models"
KINDS = ("good", "vacuous", "mismatched")
SETTINGS = Settings(epochs=3, patience=1, learning_rate=4e-5, frozen_layers=12, bfloat16=True)


def read(n: int | None = None, seed: int = 0) -> list[dict[str, str]]:
    """The items in a drawn order, all or the first n."""
    with RATIONALES.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    random.Random(seed).shuffle(rows)
    return rows[:n]


def explained(rows: Sequence[dict[str, str]], kinds: Sequence[str] = KINDS) -> list[Explained]:
    """The rationales of each kind; the mismatched one comes from the next item but two."""
    vacuous = of_answers([row["question"] for row in rows], [row["answer"] for row in rows])
    found = []
    for place, (row, sentence) in enumerate(zip(rows, vacuous, strict=True)):
        other = rows[(place + 3) % len(rows)]
        texts = {"good": row["rationale"], "vacuous": row["restated"], "mismatched": other["rationale"]}
        found += [Explained(row["question"], kind, row["answer"], texts[kind], sentence) for kind in kinds]
    return found


def tell(epoch: Epoch) -> None:
    print(f"  epoch {epoch.number}: held-out loss {epoch.held_out_loss:.3f}", flush=True)


def cross_validated(base: str | Path, rows: Sequence[dict[str, str]], settings: Settings, folds: int) -> list[Scored]:
    """REV of each fold's rationales by an evaluator that was trained on the others."""
    found = []
    for fold in range(folds):
        seen = [row for place, row in enumerate(rows) if place % folds != fold]
        unseen = [row for place, row in enumerate(rows) if place % folds == fold]
        with tempfile.TemporaryDirectory() as folder:
            best = fine_tune(base, explained(seen, ["good"]), Path(folder) / "run", settings, told=tell)
            found.append(score(explained(unseen), LanguageModel.load(best)))
    return found


def zero_shot(base: str | Path, rows: Sequence[dict[str, str]]) -> RationaleReport:
    """The report on all kinds by the model as it comes."""
    cases = explained(rows)
    found = score(cases, LanguageModel.load(base))
    items, kinds = [case.item for case in cases], [case.kind for case in cases]
    return report(found.values, items, kinds, name=found.signature, bootstrap=Bootstrap(2000))


def fine_tuned(base: str | Path, rows: Sequence[dict[str, str]], folds: int) -> RationaleReport:
    """The report on all kinds by evaluators that were trained on the other items."""
    parts = cross_validated(base, rows, SETTINGS, folds)
    cases = explained([row for fold in range(folds) for row in rows[fold::folds]])
    values = np.concatenate([part.values for part in parts])
    items, kinds = [case.item for case in cases], [case.kind for case in cases]
    return report(values, items, kinds, name=parts[0].signature, bootstrap=Bootstrap(2000))


def main() -> None:
    parser = ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="")
    parser.add_argument("--folds", type=int, default=0, help="fine-tune, in so many folds (default: zero-shot)")
    parser.add_argument("--items", type=int)
    parser.add_argument("--train-on-all", type=Path, metavar="FOLDER", help="keep an evaluator that has seen all items")
    options = parser.parse_args()
    if reason := missing_extra():
        print(f"skipped: {reason}")
        return
    models = packaged(CACHE)
    name = options.model or next(iter(models), "")
    rows = read(options.items)
    start = time.perf_counter()
    base = models[name]() if name in models else Path(name)
    if options.train_on_all:
        print(fine_tune(base, explained(rows, ["good"]), options.train_on_all, SETTINGS, told=tell))
        return
    print(f"{name}, {'fine-tuned' if options.folds else 'zero-shot'}, {len(rows)} items", flush=True)
    show(fine_tuned(base, rows, options.folds) if options.folds else zero_shot(base, rows))
    print(f"  {time.perf_counter() - start:.0f} s")


def show(found: RationaleReport) -> None:
    for kind in found.kinds:
        interval = kind.mean.interval
        spread = f"({interval.low:+.3f} to {interval.high:+.3f})" if interval else ""
        print(f"  {kind.kind:>10}: {kind.mean.value:+.3f} {spread}, above zero {kind.above_zero:.0%}")
    for (before, after), step in zip(zip(found.kinds, found.kinds[1:], strict=False), found.steps, strict=True):
        interval = step.interval
        spread = f"({interval.low:+.3f} to {interval.high:+.3f}, p = {step.p_value:.3f})" if interval else ""
        print(f"  {before.kind} − {after.kind}: {step.value:+.3f} {spread}")


if __name__ == "__main__":
    main()
