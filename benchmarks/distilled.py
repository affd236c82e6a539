"""The distilled rescaler: judgments a second on one core, and what paying for a part of the scores gives.

    python -m benchmarks.distilled [--rounds N] [--only speed|curve|unseen] [--seeds N] [--unseen-seeds N]
                                   [--others SHARE ...]

Speed: the reference is what one would write with scikit-learn: TfidfVectorizer (its own word n-gram analyzer,
the same vocabulary) → one-hot label, n-grams and their products → Ridge.predict, with the artefact's weights.
The curve is that of `distilled.curve.learning_curve` on the released data. Unseen: a random half of the articles, one
annotator, or a random half of the annotators is predicted by what the others teach, each with some shares of what
others wrote in the targets.
"""

import os

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")  # one core, both sides

import re
import sys
import time
from argparse import ArgumentParser
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import Ridge

from annotation_platform.core.methods.distilled.curve import CurvePoint, Spread, learning_curve, spread
from annotation_platform.core.methods.distilled.held_out import held_out, random_halves
from annotation_platform.core.methods.distilled.rescaler import ARTEFACT, CERTAIN, NUMBER_WORD, Distilled, load_default
from annotation_platform.core.methods.distilled.train import ARTICLE_FOLDS, read_release
from annotation_platform.core.methods.distilled.training import Settings, design_matrix
from benchmarks.protocol import Side, compare, run_apart, seconds, timed

RELEASE = Path(__file__).resolve().parents[1].parent / "shared" / "data" / "ebr"
SYNTHETIC = 20_000
WORDS_EACH = 20
LOAD = "from annotation_platform.core.methods.distilled.rescaler import load_default; load_default()"
IMPORT = "from annotation_platform.core.methods.distilled.rescaler import load_default"

Scores = NDArray[np.float64]


def main() -> None:
    parser = ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--only", choices=["speed", "curve", "unseen"])
    parser.add_argument("--seeds", type=int, default=10, help="seeds of the curve, and of random halves (10)")
    parser.add_argument("--unseen-seeds", type=int, default=3, help="seeds where groups are held out (3)")
    parser.add_argument("--first-seed", type=int, default=0, help="the first seed of random halves (0)")
    parser.add_argument("--others", type=float, nargs="+", default=[0.0, Settings().others], help="shares of others")
    options = parser.parse_args()
    if options.only in (None, "speed"):
        speed(options.rounds)
    if options.only in (None, "curve"):
        curves(options.seeds, options.unseen_seeds)
    if options.only in (None, "unseen"):
        unseen(range(options.first_seed, options.first_seed + options.seeds), options.others)


def speed(rounds: int) -> None:
    rescaler = load_default()
    predict = scikit_learn(rescaler)
    for name, labels, texts in workloads(rescaler):
        comparison = compare(
            Side("ours", lambda labels=labels, texts=texts: ours(rescaler, labels, texts)),
            Side("scikit-learn", lambda labels=labels, texts=texts: predict(labels, texts)),
            same=same_scores,
            rounds=rounds,
        )
        n = len(texts)
        print(f"{name}: {n:,} judgments, {len(set(texts)):,} different explanations")
        print(f"  {comparison}")
        print(f"  {n / np.median(comparison.our_seconds):,.0f} judgments/s")
    reading = timed(Side("reading the artefact", lambda: Distilled.load(ARTEFACT)), rounds=rounds)
    print(f"{reading}; {ARTEFACT.stat().st_size:,} bytes")
    with_artefact, without = (run_apart([sys.executable, "-c", program])[0] for program in (LOAD, IMPORT))
    print(f"a process of its own: {seconds(with_artefact)}, without the artefact {seconds(without)}")


def curves(seeds: int, unseen_seeds: int) -> None:
    """The learning curves: the study as it would be, then with articles and with annotators held out."""
    files = sorted(RELEASE.glob("*.json"))
    if not files:
        print(f"What paying for a part gives: skipped, the released data are not at {RELEASE}")
        return
    release = read_release(files)
    for name, groups, folds, count in (
        ("paid scores kept, the rest predicted", None, None, seeds),
        (f"unseen articles, {ARTICLE_FOLDS} folds", release.articles, ARTICLE_FOLDS, unseen_seeds),
        ("unseen annotators, one at a time", release.annotators, None, unseen_seeds),
    ):
        start = time.process_time()
        print(f"\nWhat paying for a part gives: {name}; mean ± deviation over {count} seeds", flush=True)
        print("| choice | paid | n | kept, incomplete | lowest | τ incomplete | τ all | Pearson | covered | width |")
        print("| --- | ---: | ---: | --- | ---: | --- | --- | --- | --- | ---: |")
        for point in learning_curve(release, seeds=range(count), unseen=groups, folds=folds):
            print(row(point), flush=True)
        print(f"({time.process_time() - start:.0f} s of processor time)")


def unseen(seeds: range, shares: list[float]) -> None:
    """What is kept on articles and annotators that the rescaler has not seen, by the share of others in the targets."""
    files = sorted(RELEASE.glob("*.json"))
    if not files:
        print(f"Unseen articles and annotators: skipped, the released data are not at {RELEASE}")
        return
    release = read_release(files)
    print(f"\nUnseen articles and annotators; mean ± deviation over {len(seeds)} seeds from {seeds.start}", flush=True)
    print("| unseen | others | τ incomplete | lowest | τ all | Pearson | error |")
    print("| --- | ---: | --- | ---: | --- | --- | --- |")
    for name, splits in (
        ("half of the articles", [random_halves(release.articles, seed=seed) for seed in seeds]),
        ("one annotator", [release.annotators]),
        ("half of the annotators", [random_halves(release.annotators, seed=seed) for seed in seeds]),
    ):
        for share in shares:
            settings = Settings(others=share)
            found = [held_out(release, groups, split=name, settings=settings) for groups in splits]
            incomplete = spread([each.tau_incomplete for each in found])
            cells = [
                f"{share:.2f}",
                cell(incomplete),
                f"{incomplete.low:.3f}" if incomplete else "",
                cell(spread([each.tau for each in found])),
                cell(spread([each.pearson for each in found])),
                cell(spread([each.mean_absolute_error for each in found]), 2),
            ]
            print(f"| {name} | {' | '.join(cells)} |", flush=True)


def cell(figure: Spread | None, digits: int = 3) -> str:
    if figure is None:
        return ""
    deviation = "" if figure.deviation is None else f" ± {figure.deviation:.{digits}f}"
    return f"{figure.mean:.{digits}f}{deviation}"


def row(point: CurvePoint) -> str:
    cells = [
        point.choice if point.share < 1 else "all",
        f"{point.share:.0%}",
        f"{point.n_paid:,.0f}",
        cell(point.kept),
        f"{point.kept.low:.3f}" if point.kept else "",
        *map(cell, (point.tau_incomplete, point.tau, point.pearson, point.covered)),
        cell(point.width, 1),
    ]
    return f"| {' | '.join(cells)} |"


def ours(rescaler: Distilled, labels: NDArray[np.int64], texts: list[str]) -> Scores:
    return rescaler.predict(labels, texts, rescaler.scale_numbers.tolist())


def scikit_learn(rescaler: Distilled) -> Callable[[NDArray[np.int64], list[str]], Scores]:
    """The same model as scikit-learn's vectorizer and ridge."""
    vocabulary = rescaler.vocabulary
    words, k = vocabulary.words, len(rescaler.scale_numbers)
    pairs = [f"{words[key // len(words)]} {words[key % len(words)]}" for key in vocabulary.pairs]
    triples = [f"{pairs[key // len(words)]} {words[key % len(words)]}" for key in vocabulary.triples]
    digits = re.compile(r"\d+")
    vectorizer = TfidfVectorizer(
        preprocessor=lambda text: digits.sub(NUMBER_WORD, text.lower().replace("’", "'")),
        token_pattern=r"0|[^\W\d_]+(?:'[^\W\d_]+)?",
        ngram_range=(1, 3),
        vocabulary=[*words, *pairs, *triples],
        use_idf=False,
        sublinear_tf=True,
    ).fit(words)
    ridge = Ridge()
    per_product = rescaler.weights.transpose(1, 0, 2).reshape(k * len(vocabulary), -1)
    shared = np.zeros((len(vocabulary), per_product.shape[1]))
    ridge.coef_ = np.vstack([rescaler.intercepts, shared, per_product]).T
    ridge.intercept_ = np.zeros(len(ridge.coef_))

    def predict(labels: NDArray[np.int64], texts: list[str]) -> Scores:
        score, highest, lowest = ridge.predict(design_matrix(vectorizer.transform(texts), labels, k)).T
        clipped = np.rint(np.clip(score, 0, 100))
        return np.where(lowest > CERTAIN, 0, np.where(highest > CERTAIN, 100, clipped))

    return predict


def same_scores(ours: Scores, theirs: Scores) -> bool:
    """Equal, but for single explanations without a known word (ours takes the label's mean there)."""
    return float(np.mean(ours == theirs)) > 0.999


def workloads(rescaler: Distilled) -> list[tuple[str, NDArray[np.int64], list[str]]]:
    rng = np.random.default_rng(0)
    drawn = rng.choice(np.array(rescaler.vocabulary.words), (SYNTHETIC, WORDS_EACH))
    found = [("synthetic", rng.integers(0, 4, SYNTHETIC), [" ".join(words) for words in drawn.tolist()])]
    files = sorted(RELEASE.glob("*.json"))
    if files:
        release = read_release(files)
        found.insert(0, ("the EBR release", release.labels, release.explanations))
    else:
        print(f"the EBR release: skipped, it is not at {RELEASE}")
    return found


if __name__ == "__main__":
    main()
