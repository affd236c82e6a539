"""Answer equivalence: verdicts a second on one core beside scikit-learn on the paper's features, and whole runs.

    python -m benchmarks.equivalence [--rounds N] [--only core | run]

**The classifier.** Two references, both given question, references and candidate as text and giving a probability for
each candidate:

- the peer: what one would write with scikit-learn for the paper's classifier. A union of TfidfVectorizer over
  "[CLS] candidate [SEP] reference [SEP] question [SEP]" and of token F1, precision and recall, then logistic
  regression. It does less than ours (three measures and words, where ours takes some fifty more);
- the limit: SQuAD's normalisation and token F1 alone, in plain Python, against every reference. Whoever compares
  words has to do this much.

They answer differently by design, so only the number of answers is checked. The pairs are EVOUNA's, where they are
at hand, or made up. Each side is warm, as it is in the middle of a long run; what the first pairs take that a process
judges stands beside.

**A run.** EVOUNA's answers, or made-up ones, are imported into an empty database, which counts its rows as after every
import; then each round is a process of its own that starts a run as ``manage.py score_study`` and the worker do, and
carries it out: reading the texts, signing and judging them, storing eight rows for each answer, the run's state.
Nothing is warm but what start-up reads (Django, numpy and the artefact, which are not counted). The rows of earlier
rounds stay.
"""

import os

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")  # one core, all sides

import json
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser
from collections.abc import Callable
from pathlib import Path
from statistics import median

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import FunctionTransformer

from annotation_platform.accounts.actors import Actor
from annotation_platform.core.methods.equivalence.classifier import (
    ARTEFACT,
    AnswerPair,
    EquivalenceClassifier,
    load_default,
)
from annotation_platform.core.methods.equivalence.overlap import TokenOverlap, token_overlap
from annotation_platform.core.methods.equivalence.train import SYSTEMS, read_evouna
from benchmarks.protocol import Side, compare, seconds, timed
from benchmarks.saving import ROOT, prepared_environment

EVOUNA = Path(__file__).resolve().parents[1].parent / "shared" / "data" / "evouna" / "NQ.json"
MOST_PAIRS = 5_000
SYNTHETIC = 4_000
WORDS_EACH = 30
WANTED = 15_000
WANTED_OF_A_RUN = 5_000
RUNS_EACH = 3

Scores = NDArray[np.float64]


def main() -> None:
    parser = ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--only", choices=["core", "run"], help="only the classifier, or only whole runs")
    parser.add_argument("--import", dest="file", type=Path, help="only import this file into the database at hand")
    parser.add_argument("--execute", action="store_true", help="only one run, in the database at hand")
    options = parser.parse_args()
    if options.file:
        import_answers(options.file)
    elif options.execute:
        execute_run()
    else:
        if options.only != "run":
            measure_classifier(options.rounds)
        if options.only != "core":
            measure_runs()


def measure_classifier(rounds: int) -> None:
    classifier = load_default()
    for name, pairs in workloads():
        n, n_references = len(pairs), sum(len(pair.references) for pair in pairs)
        print(f"{name}: {n:,} candidates beside {n_references:,} references")
        first = median(seconds_of(EquivalenceClassifier.load(ARTEFACT).judge, pairs) for _ in range(RUNS_EACH))
        ours = Side("probabilities", lambda pairs=pairs: classifier.probabilities(pairs))
        for reference in (Side("scikit-learn", scikit_learn(pairs)), Side("token F1", plain_f1(pairs))):
            comparison = compare(ours, reference, same=lambda one, other: len(one) == len(other), rounds=rounds)
            print(f"  {comparison}")
        say("  probabilities", np.median(comparison.our_seconds), n, n_references)
        verdicts = timed(Side("whole verdicts", lambda pairs=pairs: classifier.judge(pairs)), rounds=rounds)
        say("  whole verdicts, with rule and reason", verdicts.median, n, n_references)
        spent = median(seconds_of(classifier.judge, pairs) for _ in range(rounds))
        say("  the same by processor time", spent, n, n_references)
        say("  the same by processor time, of a classifier that has read nothing yet", first, n, n_references)
    reading = timed(Side("reading the artefact", lambda: EquivalenceClassifier.load(ARTEFACT)), rounds=rounds)
    print(f"{reading}; {ARTEFACT.stat().st_size:,} bytes")


def seconds_of(judge: Callable[[list[AnswerPair]], object], pairs: list[AnswerPair]) -> float:
    """Of this process' time on a processor: on a busy machine the clock says little."""
    start = time.process_time()
    judge(pairs)
    return time.process_time() - start


def say(name: str, seconds: float, n: int, n_references: int) -> None:
    print(
        f"{name}: {n / seconds:,.0f} candidates/s (wanted: {WANTED:,}), "
        f"{n_references / seconds:,.0f} pairs of candidate and reference/s"
    )


def scikit_learn(pairs: list[AnswerPair]) -> Callable[[], Scores]:
    """The paper's classifier as a pipeline, fitted on made-up verdicts: it is timed, not trusted.

    Each candidate is compared with its reference of highest F1, as a single text and a row of measures.
    """

    def texts(rows: list[tuple[AnswerPair, str, TokenOverlap]]) -> list[str]:
        return [f"[CLS] {pair.candidate} [SEP] {reference} [SEP] {pair.question} [SEP]" for pair, reference, _ in rows]

    def measures(rows: list[tuple[AnswerPair, str, TokenOverlap]]) -> Scores:
        return np.array([overlap for _, _, overlap in rows])

    model = make_pipeline(
        FeatureUnion(
            [
                ("words", make_pipeline(FunctionTransformer(texts), TfidfVectorizer(token_pattern=r"\[?\w+\]?"))),
                ("overlap", FunctionTransformer(measures)),
            ]
        ),
        LogisticRegression(),
    )

    def rows() -> list[tuple[AnswerPair, str, TokenOverlap]]:
        found = []
        for pair in pairs:
            overlaps = [token_overlap(pair.candidate, reference) for reference in pair.references]
            best = max(range(len(overlaps)), key=lambda place: overlaps[place].f1)
            found.append((pair, pair.references[best], overlaps[best]))
        return found

    model.fit(rows(), np.arange(len(pairs)) % 2)
    return lambda: np.asarray(model.predict_proba(rows())[:, 1])


def plain_f1(pairs: list[AnswerPair]) -> Callable[[], Scores]:
    return lambda: np.array(
        [max(token_overlap(pair.candidate, reference).f1 for reference in pair.references) for pair in pairs]
    )


def workloads() -> list[tuple[str, list[AnswerPair]]]:
    rng = np.random.default_rng(0)
    words = np.array(sorted(load_default().table.rarity))
    texts = [" ".join(drawn) for drawn in rng.choice(words, (SYNTHETIC, WORDS_EACH)).tolist()]
    made_up = [AnswerPair(text[-40:], (text[:15], text[40:60]), text[10:]) for text in texts]
    found = [("made up, no question twice", made_up)]
    if EVOUNA.is_file():
        found.insert(0, ("EVOUNA-NQ", read_evouna(EVOUNA).pairs[:MOST_PAIRS]))
    else:
        print(f"EVOUNA-NQ: skipped, it is not at {EVOUNA}")
    return found


def measure_runs() -> None:
    with tempfile.TemporaryDirectory() as folder:
        answers = EVOUNA if EVOUNA.is_file() else made_up_answers(Path(folder))
        for database in ("sqlite", "postgresql"):
            with prepared_environment(database) as environment:
                if environment is not None:
                    environment["DJANGO_SETTINGS_MODULE"] = "annotation_platform.settings"
                    apart(environment, "--import", str(answers))
                    say_runs(database, [apart(environment, "--execute") for _ in range(RUNS_EACH)])


def made_up_answers(folder: Path) -> Path:
    """In EVOUNA's layout."""
    [(_, pairs)] = workloads()
    answers = [
        {"question": pair.question, "golden_answer": "/".join(pair.references), "improper": False}
        | {f"answer_{system}": pair.candidate for system in SYSTEMS}
        | {f"judge_{system}": True for system in SYSTEMS}
        for pair in pairs
    ]
    (folder / "made_up.json").write_text(json.dumps(answers), encoding="utf-8")
    return folder / "made_up.json"


def apart(environment: dict[str, str], *arguments: str) -> list[float]:
    """What this module prints when it does this in a process of its own, as numbers."""
    command = [sys.executable, "-m", "benchmarks.equivalence", *arguments]
    printed = subprocess.run(command, env=environment, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return [float(number) for number in printed.split()]


def say_runs(database: str, runs: list[list[float]]) -> None:
    answers = runs[0][0]
    spent, processor = (median(column) for column in list(zip(*runs, strict=True))[1:])
    print(
        f"A run over {answers:,.0f} answers, {database}: {seconds(spent)}, {answers / spent:,.0f} answers/s "
        f"(the first {answers / runs[0][1]:,.0f}; wanted: {WANTED_OF_A_RUN:,}); "
        f"{seconds(processor)} of this process' processor time, {answers / processor:,.0f} answers/s"
    )


def import_answers(file: Path) -> None:
    """What ``manage.py import_study evouna`` does after start-up."""
    import django

    django.setup()
    from annotation_platform.corpus.importers import FORMATS, open_files, read_study
    from annotation_platform.imports.storing import import_study

    format = FORMATS["evouna"]
    with read_study(format, open_files(format, [file])) as imported:
        import_study(imported=imported, name="Answers", actor=Actor.operator("benchmark"))


def execute_run() -> None:
    """Prints the number of answers, and the seconds of the clock and of the processor."""
    import django

    django.setup()
    from annotation_platform.jobs.contract import claim, execute
    from annotation_platform.scoring.methods.equivalence import MEASURES
    from annotation_platform.scoring.models import ItemScore, Method
    from annotation_platform.scoring.services import RUNS, start_run
    from annotation_platform.studies.models import Study

    study = Study.objects.get()
    load_default()
    began, processor = time.perf_counter(), time.process_time()
    run = claim(RUNS, start_run(study=study, method=Method.EQUIVALENCE, actor=Actor.operator("benchmark")).pk)
    assert run is not None
    done = execute(RUNS, run)
    spent, processor = time.perf_counter() - began, time.process_time() - processor
    assert (done.status, done.done) == ("done", done.total), done.error
    assert ItemScore.objects.filter(run=run).count() == done.total * len(MEASURES)
    print(done.total, spent, processor)


if __name__ == "__main__":
    main()
