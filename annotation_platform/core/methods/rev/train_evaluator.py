"""Fine-tune a language model as an evaluator of rationales.

python -m annotation_platform.core.methods.rev.train_evaluator FILE --base MODEL --output FOLDER [--resume] …

FILE is a table with a header (comma- or tab-separated, by its ending .csv or .tsv) and the columns question, answer and
rationale: gold answers with good rationales. MODEL is a folder, the name of a model hub, or one of the small models
that are installed as packages. Needs the optional extra, requirements-models.txt.
"""

import argparse
import csv
import sys
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path

from annotation_platform.core.methods.rev.evaluators import Explained
from annotation_platform.core.methods.rev.language_models import ModelError, require_extra
from annotation_platform.core.methods.rev.training import Epoch, Settings, TrainingError, fine_tune
from annotation_platform.core.methods.rev.vacuous import of_answers
from annotation_platform.core.methods.rev.weights import packaged

COLUMNS = ("question", "answer", "rationale")


def read_rationales(path: Path) -> list[Explained]:
    """The rows of a table as good rationales, each with its vacuous one.

    Raises
    ------
    TrainingError
        A column is missing or a field is blank; the message names it with its line.
    """
    with path.open(encoding="utf-8-sig", newline="") as lines:
        reader = csv.DictReader(lines, delimiter="\t" if path.suffix == ".tsv" else ",")
        if missing := [column for column in COLUMNS if column not in (reader.fieldnames or ())]:
            raise TrainingError(f"{path.name} has no column {' and no column '.join(missing)}.")
        rows = []
        for row in reader:
            if blank := [column for column in COLUMNS if not (row[column] or "").strip()]:
                raise TrainingError(f"{path.name}, line {reader.line_num}: {' and '.join(blank)} must not be blank.")
            rows.append(row)
    vacuous = of_answers([row["question"] for row in rows], [row["answer"] for row in rows])
    return [
        Explained(row["question"], "good", row["answer"], row["rationale"], sentence)
        for row, sentence in zip(rows, vacuous, strict=True)
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m annotation_platform.core.methods.rev.train_evaluator", description=__doc__.splitlines()[0]
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="question, answer, rationale (.csv or .tsv)")
    parser.add_argument("--base", required=True, help="folder or name of the model to begin with")
    parser.add_argument("--output", required=True, type=Path, help="folder of this run")
    parser.add_argument("--resume", action="store_true", help="go on where a run was stopped")
    parser.add_argument("--cache", type=Path, default=Path(".embedded") / "models", help="for packaged models")
    for setting in fields(Settings):
        option = f"--{setting.name.replace('_', '-')}"
        if isinstance(setting.default, bool):
            parser.add_argument(option, action=argparse.BooleanOptionalAction, default=setting.default)
        else:
            parser.add_argument(option, type=type(setting.default), default=setting.default)
    options = parser.parse_args(arguments)
    settings = Settings(**{setting.name: getattr(options, setting.name) for setting in fields(Settings)})
    try:
        rationales = read_rationales(options.file)
        require_extra()
        models = packaged(options.cache)
        base = models[options.base]() if options.base in models else options.base
        best = fine_tune(base, rationales, options.output, settings, resume=options.resume, told=_tell)
    except (OSError, ModelError, TrainingError) as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{best}: the evaluator of the best epoch")
    return 0


def _tell(epoch: Epoch) -> None:
    print(
        f"epoch {epoch.number}: loss {epoch.training_loss:.3f}, on held-out items {epoch.held_out_loss:.3f}", flush=True
    )


if __name__ == "__main__":
    sys.exit(main())
