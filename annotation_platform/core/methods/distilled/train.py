"""Train the distilled rescaler on the released EBR annotations and write its artefact and model card.

python -m annotation_platform.core.methods.distilled.train FILE... --output PATH [--card PATH]
"""

import argparse
import json
import sys
from collections.abc import Hashable, Sequence
from dataclasses import asdict, replace
from hashlib import sha256
from pathlib import Path
from string import Template
from typing import Any

import numpy as np

from annotation_platform.core.methods.distilled.held_out import HeldOut, held_out, mean_taus
from annotation_platform.core.methods.distilled.judgments import ScoredJudgments, TrainingError, codes
from annotation_platform.core.methods.distilled.rescaler import CERTAIN, Distilled
from annotation_platform.core.methods.distilled.training import train

RELEASED_LABELS = {"missing_all": 0.0, "missing_major": 30.0, "missing_minor": 70.0, "complete": 100.0}
SOURCE = (
    "Wadhwa, Chen, Li and Durrett, Using Natural Language Explanations to Rescale Human Judgments, COLM 2024; "
    "annotations released at https://github.com/ManyaWadhwa/explanation_based_rescaling"
)
ARTICLE_FOLDS = 5
ARTICLES_AND_TEXTS = "articles and texts"

_CARD = Path(__file__).with_name("model_card.md")


def read_release(paths: Sequence[Path]) -> ScoredJudgments:
    """The released annotations as columns; each file is a corpus.

    Raises
    ------
    TrainingError
        A file does not have the release's layout; the message names file and place.
    """
    rows: list[dict[str, Any]] = []
    places: list[tuple[Hashable, ...]] = []
    for path in paths:
        for place, judgment in _judgments(path):
            rows.append(judgment)
            places.append((path.name, *place))
    positions = {label: position for position, label in enumerate(RELEASED_LABELS)}
    return ScoredJudgments(
        labels=np.array([positions[row["complete_label"]] for row in rows], dtype=np.int64),
        explanations=[row["feedback"] for row in rows],
        scores=np.array([row["ebr_num"] for row in rows], dtype=np.float64),
        annotators=codes([row["workerid"] for row in rows]),
        items=codes(places),
        articles=codes([place[:2] for place in places]),
        corpora=codes([place[0] for place in places]),
        scale_numbers=tuple(RELEASED_LABELS.values()),
    )


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m annotation_platform.core.methods.distilled.train", description=__doc__.splitlines()[0]
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="released EBR annotations (JSON)")
    parser.add_argument("--output", required=True, type=Path, help="where to write the artefact (.npz)")
    parser.add_argument("--card", type=Path, help="where to write the model card (Markdown)")
    options = parser.parse_args(arguments)
    try:
        judgments = read_release(options.files)
        model = describe(train(judgments), judgments, options.files)
    except (OSError, TrainingError) as error:
        print(error, file=sys.stderr)
        return 1
    model.save(options.output)
    size = options.output.stat().st_size
    print(f"{options.output}: {size:,} bytes, {model.metadata['n_grams']:,} n-grams")
    if options.card:
        options.card.write_text(model_card(model, size), encoding="utf-8")
        print(f"{options.card}: written")
    return 0


def describe(model: Distilled, judgments: ScoredJudgments, files: Sequence[Path]) -> Distilled:
    """The same model with its origin and its held-out figures, which are printed as they come."""
    raw = np.asarray(judgments.scale_numbers)[judgments.labels]
    references = {
        "raw labels": mean_taus(judgments, raw),
        "language model": mean_taus(judgments, judgments.scores),
    }
    for name, (tau, incomplete) in references.items():
        print(f"{name:>28}: tau {tau:.4f}, incomplete {incomplete:.4f}", flush=True)
    figures: list[HeldOut] = []
    for split, groups, folds in (
        ("articles", judgments.articles, ARTICLE_FOLDS),
        (ARTICLES_AND_TEXTS, judgments.articles, ARTICLE_FOLDS),
        ("corpora", judgments.corpora, None),
        ("annotators", judgments.annotators, None),
    ):
        if len(np.unique(groups)) < (folds or 2):
            print(f"{split:>28}: too few to hold any out")
            continue
        figure = held_out(judgments, groups, split=split, folds=folds, with_texts=split == ARTICLES_AND_TEXTS)
        figures.append(figure)
        print(
            f"{f'unseen {split} ({figure.folds} folds)':>28}: tau {figure.tau:.4f}, incomplete "
            f"{figure.tau_incomplete:.4f}, Pearson {figure.pearson:.4f}, "
            f"mean absolute error {figure.mean_absolute_error:.2f}, n {figure.n:,}; texts of their own: "
            f"Pearson {figure.own.pearson:.4f}, error {figure.own.mean_absolute_error:.2f}, n {figure.own.n:,}; "
            f"label mean alone: {figure.label_mean.pearson:.4f}, of these {figure.label_mean_own.pearson:.4f}",
            flush=True,
        )
    counts = np.bincount(judgments.corpora).tolist()
    return replace(
        model,
        metadata={
            **model.metadata,
            "source": SOURCE,
            "language": "en",
            "files": [
                {"name": path.name, "sha256": sha256(path.read_bytes()).hexdigest(), "judgments": count}
                for path, count in zip(files, counts, strict=True)
            ],
            "references": references,
            "held_out": [asdict(figure) for figure in figures],
        },
    )


def model_card(model: Distilled, size: int) -> str:
    """The model card, with the figures in the model's metadata."""
    metadata = model.metadata
    references = [
        f"| {name} | | | | {tau:.3f} | {incomplete:.3f} |"
        for name, (tau, incomplete) in sorted(metadata["references"].items(), reverse=True)
    ]
    figures = [
        f"| unseen {f['split']} ({f['folds']} folds) | {f['n']:,} | {f['pearson']:.3f} "
        f"| {f['mean_absolute_error']:.1f} | {f['tau']:.3f} | {f['tau_incomplete']:.3f} |"
        for f in metadata["held_out"]
    ]
    own = [
        f"| unseen {f['split']} | {_close(f)} | {f['label_mean']['pearson']:.3f} "
        f"| {f['own']['n']:,} | {_close(f['own'])} | {f['label_mean_own']['pearson']:.3f} |"
        for f in metadata["held_out"]
    ]
    files = [
        f"- `{file['name']}`: {file['judgments']:,} judgments, SHA-256 `{file['sha256']}`" for file in metadata["files"]
    ]
    return Template(_CARD.read_text(encoding="utf-8")).substitute(
        n_judgments=f"{metadata['n_judgments']:,}",
        n_annotators=metadata["n_annotators"],
        n_articles=metadata["n_articles"],
        n_grams=f"{metadata['n_grams']:,}",
        kilobytes=round(size / 1000),
        certain=CERTAIN,
        source=metadata["source"],
        files="\n".join(files),
        figures="\n".join([*references, *figures]),
        own="\n".join(own),
        **_texts_of_articles(metadata["held_out"]),
        **metadata["settings"],
    )


def _texts_of_articles(held: list[dict[str, Any]]) -> dict[str, str]:
    """What the split by articles says of texts of their own, for the card's sentence; dashes where there is no such
    split."""
    of = next((f for f in held if f["split"] == "articles"), None)
    return {
        "repeated": f"{100 * (1 - of['own']['n'] / of['n']):.0f} %" if of else "–",
        "with_repeated": f"{of['pearson']:.3f}" if of else "–",
        "of_their_own": f"{of['own']['pearson']:.3f}" if of else "–",
        "error_of_their_own": f"{of['own']['mean_absolute_error']:.1f}" if of else "–",
        "label_mean": f"{of['label_mean']['pearson']:.3f}" if of else "–",
        "label_mean_of_their_own": f"{of['label_mean_own']['pearson']:.3f}" if of else "–",
    }


def _close(figure: dict[str, Any]) -> str:
    return f"{figure['pearson']:.3f} | {figure['mean_absolute_error']:.1f}"


def _judgments(path: Path) -> list[tuple[tuple[str, str, str], dict[str, Any]]]:
    """Each judgment of a file with its place: article, question, system."""
    place: tuple[str, ...] = ()
    found = []
    try:
        for number, article in json.loads(path.read_text(encoding="utf-8")).items():
            for key, question in article["question_details"].items():
                for system, answer in question["system"].items():
                    for position, judgment in answer["annotation_details"].items():
                        place = (number, key, system, position)
                        _check(judgment)
                        found.append(((number, key, system), judgment))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        where = f" after {' / '.join(place)}" if place else ""
        raise TrainingError("training.not_the_release", file=path.name + where, what=repr(error)) from error
    return found


def _check(judgment: dict[str, Any]) -> None:
    if judgment["complete_label"] not in RELEASED_LABELS:
        raise ValueError(f"unknown label {judgment['complete_label']!r}")
    if judgment["ebr_num"] is not None and not 0 <= judgment["ebr_num"] <= 100:
        raise ValueError(f"score {judgment['ebr_num']} outside 0..100")
    if not isinstance(judgment["feedback"], str):
        raise ValueError("feedback is no text")
    judgment["workerid"]


if __name__ == "__main__":
    sys.exit(main())
