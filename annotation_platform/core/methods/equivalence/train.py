"""Train the answer equivalence classifier on EVOUNA and write its artefact and model card.

python -m annotation_platform.core.methods.equivalence.train FILE --output PATH [--card PATH] [--seed N]
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from string import Template
from typing import Any

import numpy as np

from annotation_platform.core.methods.equivalence.classifier import AnswerPair, EquivalenceClassifier
from annotation_platform.core.methods.equivalence.measuring import (
    CLASSIFIER,
    CROSS_VALIDATION_FOLDS,
    cross_validated,
    held_out_figures,
)
from annotation_platform.core.methods.equivalence.training import (
    JudgedPairs,
    Settings,
    TrainingError,
    split,
    train,
)

SYSTEMS = {"fid": "FiD", "gpt35": "GPT-3.5", "chatgpt": "ChatGPT", "gpt4": "GPT-4", "newbing": "New Bing"}
SOURCE = "Wang, Cheng, Guo, Yue, Ding, Xu, Wang, Hu, Zhang and Zhang, Evaluating Open-QA Evaluation, NeurIPS 2023"
REFERENCE_SEPARATOR = "/"

_CARD = Path(__file__).with_name("model_card.md")


def read_evouna(path: Path) -> JudgedPairs:
    """The judged answers of a file of EVOUNA, without improper questions.

    A question asked twice, in whatever case, is one question. Pairs without an answer or a verdict are left out.

    Raises
    ------
    TrainingError
        The file does not have EVOUNA's layout; the message names file and place.
    """
    found = list(_pairs(path))
    codes: dict[str, int] = {name: code for code, name in enumerate(sorted({found[0] for found in found}))}
    return JudgedPairs(
        pairs=[pair for _, _, pair, _ in found],
        right=np.array([right for _, _, _, right in found], dtype=np.bool_),
        questions=np.array([codes[name] for name, _, _, _ in found], dtype=np.int64),
        systems=np.array([system for _, system, _, _ in found], dtype=np.int64),
        system_names=tuple(SYSTEMS.values()),
    )


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m annotation_platform.core.methods.equivalence.train",
        description=__doc__.splitlines()[0],
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="judged answers of EVOUNA (NQ.json)")
    parser.add_argument("--output", required=True, type=Path, help="where to write the artefact (.npz)")
    parser.add_argument("--card", type=Path, help="where to write the model card (Markdown)")
    parser.add_argument("--seed", type=int, default=Settings.seed, help="of the split by question and of the trees")
    options = parser.parse_args(arguments)
    settings = Settings(seed=options.seed)
    try:
        model = describe(read_evouna(options.file), settings, options.file)
    except (OSError, TrainingError) as error:
        print(error, file=sys.stderr)
        return 1
    model.save(options.output)
    size = options.output.stat().st_size
    print(f"{options.output}: {size:,} bytes, {model.metadata['n_words']:,} words")
    if options.card:
        options.card.write_text(model_card(model, size), encoding="utf-8")
        print(f"{options.card}: written")
    return 0


def describe(judged: JudgedPairs, settings: Settings, file: Path) -> EquivalenceClassifier:
    """The model trained on one part of the questions, with its origin and its figures on the other, which are
    printed."""
    seen, unseen = split(judged, settings)
    print(f"learning from {len(seen):,} pairs, holding {len(unseen):,} out …", flush=True)
    model = train(seen, settings)
    figures = held_out_figures(model, seen, unseen, settings)
    for way, of_way in figures["ways"].items():
        print(f"{way:>28}: accuracy {_interval(of_way['accuracy'])}, F1 {_interval(of_way['f1'])}")
    for system, of_system in figures["systems"].items():
        of_classifier = of_system["ways"][CLASSIFIER]
        print(f"{system:>28}: accuracy {_interval(of_classifier['accuracy'])}, F1 {_interval(of_classifier['f1'])}")
    folds = cross_validated(judged, settings)
    print(f"{'all questions, in folds':>28}: accuracy {_interval(folds['accuracy'])}, F1 {_interval(folds['f1'])}")
    return replace(
        model,
        metadata={
            **model.metadata,
            "source": SOURCE,
            "language": "en",
            "file": {"name": file.name, "sha256": sha256(file.read_bytes()).hexdigest()},
            "held_out": figures,
            "cross_validated": folds,
        },
    )


def model_card(model: EquivalenceClassifier, size: int) -> str:
    """The model card, with the figures in the model's metadata."""
    metadata = model.metadata
    held_out = metadata["held_out"]
    return Template(_CARD.read_text(encoding="utf-8")).substitute(
        kilobytes=round(size / 1000),
        source=metadata["source"],
        file=metadata["file"]["name"],
        sha256=metadata["file"]["sha256"],
        n_pairs=f"{metadata['n_pairs']:,}",
        n_questions=f"{metadata['n_questions']:,}",
        n_words=f"{metadata['n_words']:,}",
        right=f"{metadata['n_right'] / metadata['n_pairs']:.0%}",
        exact_match_right=f"{model.exact_match_right:.3f}",
        n_held_out=f"{held_out['n_pairs']:,}",
        n_held_out_questions=f"{held_out['n_questions']:,}",
        folds=CROSS_VALIDATION_FOLDS,
        n_cross_validated=f"{metadata['cross_validated']['n_pairs']:,}",
        cross_validated=_interval(metadata["cross_validated"]["accuracy"]),
        ways="\n".join(
            f"| {way} | {_interval(figures['accuracy'])} | {_interval(figures['f1'])} |"
            for way, figures in held_out["ways"].items()
        ),
        systems="\n".join(_system_row(name, figures) for name, figures in held_out["systems"].items()),
        calibration="\n".join(
            f"| {row['low']:.1f}–{row['high']:.1f} | {row['n']:,} | {_share(row['right'])} |"
            for row in held_out["calibration"]
        ),
        rules="\n".join(
            f"| {row['rule']} | {'equivalent' if row['equivalent'] else 'not'} "
            f"| {row['n']:,} | {_share(row['agreed'])} |"
            for row in held_out["rules"]
        ),
        **metadata["settings"],
    )


def _system_row(name: str, figures: dict[str, Any]) -> str:
    ways = figures["ways"]
    beside = " | ".join(f"{ways[way]['accuracy']['value']:.3f}" for way in ("exact match", "F1 ≥ 0.5", "containment"))
    return (
        f"| {name} | {figures['n']:,} | {_interval(ways[CLASSIFIER]['accuracy'])} "
        f"| {_interval(ways[CLASSIFIER]['f1'])} | {beside} "
        f"| {figures['right']:.1%} | {figures['taken_as_right']:.1%} |"
    )


def _interval(figure: dict[str, float]) -> str:
    if figure["value"] is None:
        return "undefined"
    if "low" not in figure:
        return f"{figure['value']:.3f}"
    return f"{figure['value']:.3f} ({figure['low']:.3f}–{figure['high']:.3f})"


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.1%}"


def _pairs(path: Path) -> Iterator[tuple[str, int, AnswerPair, bool]]:
    """Each judged answer: the question's name, the system's code, the pair, and whether it is right."""
    place = ""
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))
        for number, row in enumerate(rows, start=1):
            place = f" row {number}"
            if row["improper"]:
                continue
            question = row["question"]
            references = tuple(filter(None, map(str.strip, row["golden_answer"].split(REFERENCE_SEPARATOR))))
            for code, system in enumerate(SYSTEMS):
                answer, right = row[f"answer_{system}"], row[f"judge_{system}"]
                if answer and isinstance(right, bool):
                    yield " ".join(question.lower().split()), code, AnswerPair(question, references, answer), right
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise TrainingError(f"{path.name}{place}: not the layout of EVOUNA ({error!r}).") from error


if __name__ == "__main__":
    sys.exit(main())
