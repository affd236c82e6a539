"""Answer equivalence: is a candidate as right as one of the reference answers to the question?

`judge` gives exact match, token F1 and a classifier's verdict for each pair, with the rule that most likely decided.
The classifier comes as an artefact under 1 MB; `equivalence.train` makes it, and this module only applies
it, with numpy: offline, free, deterministic. What it was trained on and how well it does on questions that it has
not seen is in its metadata and in docs/reference/answer-equivalence-model.md.

Source: Li, Mondal, Liang, Nghiem and Boyd-Graber, CFMatch: Aligning Automated Answer Equivalence Evaluation with
Expert Judgments for Open-Domain Question Answering (2024), section 3.3.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple, Self
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from annotation_platform.core.arrays import Floats
from annotation_platform.core.collector import uncollected
from annotation_platform.core.methods.distilled.rescaler import ArtefactError
from annotation_platform.core.methods.equivalence.features import FEATURES, compare
from annotation_platform.core.methods.equivalence.overlap import TokenOverlap, overlap_of_words
from annotation_platform.core.methods.equivalence.reading import Candidate, Question, Reference, WordTable
from annotation_platform.core.methods.equivalence.rules import (
    BLANK,
    EXACT_MATCH,
    SAME_LETTERS,
    Certainty,
    Rule,
    deciding_rule,
)
from annotation_platform.core.methods.equivalence.trees import Trees

ARTEFACT = Path(__file__).with_name("answer_equivalence.npz")
FORMAT = 2
THRESHOLD = 0.5
"""From this probability on a candidate counts as equivalent."""

_BLOCK = 128  # the arrays of a larger one are slower: each has its memory from the operating system anew
_F1 = itemgetter(0)
_CONTAINED = FEATURES.index("contained")  # before it stand F1, precision and recall


@dataclass(frozen=True, slots=True)
class AnswerPair:
    """A question, its reference answers, and a candidate.

    Raises
    ------
    ValueError
        There is no reference, or one is blank.
    """

    question: str
    references: tuple[str, ...]
    candidate: str

    def __post_init__(self) -> None:
        if not self.references:
            raise ValueError("There is no reference answer to compare with.")
        if not all(reference.strip() for reference in self.references):
            raise ValueError("A reference answer is blank.")


class Verdict(NamedTuple):
    """How a candidate stands to the reference answers.

    Attributes
    ----------
    probability : float
        That people would take it as right, 0..1.
    equivalent : bool
        Whether that is at least `THRESHOLD`.
    exact_match, contained : bool
        Whether it is one of the references, and whether one of them is in it (`equivalence.overlap`).
    f1, precision, recall : float
        Of the reference with the highest token F1, the first of equals.
    reference : str
        The closest reference, with which the classifier compared; of an exact match, that one.
    rule : Rule
        The rule that most likely decided.
    certainty : Certainty
        How sure that rule is.
    why : str
        What the rule was read off, in a sentence.
    """

    probability: float
    equivalent: bool
    exact_match: bool
    contained: bool
    f1: float
    precision: float
    recall: float
    reference: str
    rule: Rule
    certainty: Certainty
    why: str


@dataclass(slots=True, eq=False)
class _Compared:
    """A pair read and compared. ``values`` is None where there is nothing for the classifier to decide."""

    candidate: Candidate
    references: list[Reference]
    closest: Reference
    values: list[float] | None
    exact: bool

    @property
    def is_same(self) -> bool:
        """Whether the candidate is the reference but for spaces, punctuation, case and articles."""
        return self.values is None and bool(self.candidate.normal.words)


@dataclass(frozen=True, eq=False)
class EquivalenceClassifier:
    """A trained classifier.

    Attributes
    ----------
    table : WordTable
    trees : Trees
        From `equivalence.features.FEATURES` to the log-odds that the candidate is right.
    exact_match_right : float
        The probability given to an exact match: the share of them that people took as right in training.
    metadata : dict
        What it was trained on, how, and its held-out figures.
    """

    table: WordTable
    trees: Trees
    exact_match_right: float
    metadata: dict[str, Any]

    def probabilities(self, pairs: Sequence[AnswerPair]) -> Floats:
        """The probability that each candidate is right, (n,), without the rest of a verdict.

        0 for a blank candidate; `exact_match_right` for an exact match, and for one that has only its letters parted
        otherwise (*JKL*, *J K L*); for all others::

            p = 1 / (1 + exp(−(baseline + Σ leaf of each tree)))
        """
        with uncollected():
            blocks = [self._probabilities(compared) for compared in self._compared(pairs)]
        return np.concatenate(blocks) if blocks else np.empty(0)

    def judge(self, pairs: Sequence[AnswerPair]) -> list[Verdict]:
        """The verdict on each pair. A pair's verdict does not depend on the others."""
        with uncollected():
            return [
                _verdict(one, probability)
                for compared in self._compared(pairs)
                for one, probability in zip(compared, self._probabilities(compared).tolist(), strict=True)
            ]

    def save(self, path: Path) -> None:
        """Write the artefact: arrays and JSON in a zip, no pickle; the same model gives the same bytes."""
        words = sorted(self.table.rarity)
        unknown = (0.0, 0.0, 0.0, 0.0)
        np.savez_compressed(
            path,
            words=_bytes("\n".join(words)),
            rarity=np.array([self.table.rarity[word] for word in words]),
            odds=np.array([self.table.odds.get(word, unknown) for word in words]),
            text=np.array([self.table.rarest, self.table.intercept]),
            features=self.trees.features.astype(np.uint8),
            thresholds=self.trees.thresholds,
            trees=self.trees.trees.astype(np.uint16),
            kept=self.trees.kept,
            leaves=self.trees.leaves,
            baseline=np.array([self.trees.baseline, self.exact_match_right]),
            metadata=_bytes(json.dumps(self.metadata, sort_keys=True)),
        )

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read an artefact.

        Raises
        ------
        ArtefactError
            The file is not an artefact of the format that this version reads.
        """
        try:
            with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
                if "kept" not in arrays:
                    raise ArtefactError(f"{path.name} is not an equivalence classifier's artefact: it has no trees.")
                metadata = json.loads(arrays["metadata"].tobytes())
                if metadata.get("format") != FORMAT:
                    raise ArtefactError(
                        f"{path.name} has format {metadata.get('format')}; this version reads {FORMAT}."
                    )
                return cls._from_arrays(arrays, metadata)
        except ArtefactError:
            raise
        except (BadZipFile, EOFError, KeyError, TypeError, ValueError) as error:
            raise ArtefactError(f"{path.name} is not an equivalence classifier's artefact: {error}") from error

    @classmethod
    def _from_arrays(cls, arrays: Any, metadata: dict[str, Any]) -> Self:
        words = arrays["words"].tobytes().decode().split("\n")
        rarest, intercept = arrays["text"].tolist()
        baseline, exact_match_right = arrays["baseline"].tolist()
        return cls(
            table=WordTable(
                rarity=dict(zip(words, arrays["rarity"].tolist(), strict=True)),
                rarest=rarest,
                odds=dict(zip(words, map(tuple, arrays["odds"].tolist()), strict=True)),
                intercept=intercept,
            ),
            trees=Trees(
                features=arrays["features"],
                thresholds=arrays["thresholds"],
                trees=arrays["trees"],
                kept=arrays["kept"],
                leaves=arrays["leaves"],
                baseline=baseline,
            ),
            exact_match_right=exact_match_right,
            metadata=metadata,
        )

    def _compared(self, pairs: Sequence[AnswerPair]) -> Iterator[list[_Compared]]:
        """Blocks of pairs, each question and its references read once for all their candidates in a block."""
        table = self.table
        for start in range(0, len(pairs), _BLOCK):
            read: dict[tuple[str, tuple[str, ...]], tuple[Question, list[Reference]]] = {}
            compared = []
            for pair in pairs[start : start + _BLOCK]:
                asked = pair.question, pair.references
                known = read.get(asked)
                if known is None:
                    references = [Reference.read(reference, table) for reference in pair.references]
                    known = read[asked] = Question.read(pair.question, table), references
                compared.append(self._compare(*known, pair.candidate))
            yield compared

    def _compare(self, question: Question, references: list[Reference], text: str) -> _Compared:
        candidate = Candidate(text, question, self.table)
        same = [reference for reference in references if reference.normal.words == candidate.normal.words]
        if same or not candidate.normal.words:
            return _Compared(candidate, references, (same or references)[0], None, bool(same))
        if parted := candidate.parted_otherwise(references):
            return _Compared(candidate, references, parted[0], None, False)
        closest, values = compare(question, references, candidate, self.table)
        return _Compared(candidate, references, closest, values, False)

    def _probabilities(self, compared: Sequence[_Compared]) -> Floats:
        probabilities = np.array([self.exact_match_right if one.is_same else 0.0 for one in compared])
        to_decide = [position for position, one in enumerate(compared) if one.values is not None]
        if to_decide:
            values = np.array([compared[position].values for position in to_decide], dtype=np.float64)
            log_odds = self.trees.predict(values)
            probabilities[to_decide] = 1 / (1 + np.exp(-log_odds))
        return probabilities


@lru_cache(maxsize=1)
def load_default() -> EquivalenceClassifier:
    """The classifier that comes with the platform, read once per process."""
    return EquivalenceClassifier.load(ARTEFACT)


def judge(pairs: Sequence[AnswerPair]) -> list[Verdict]:
    """The verdicts of the classifier that comes with the platform.

    Examples
    --------
    >>> [verdict] = judge([AnswerPair("who wrote Hamlet", ("William Shakespeare",), "Shakespeare wrote it.")])
    >>> verdict.equivalent
    True
    """
    return load_default().judge(pairs)


def _verdict(compared: _Compared, probability: float) -> Verdict:
    candidate, closest, exact = compared.candidate, compared.closest, compared.exact
    mine, equivalent = candidate.normal, probability >= THRESHOLD
    if compared.values is None:
        deciding = EXACT_MATCH if exact else SAME_LETTERS if compared.is_same else BLANK
    else:
        deciding = deciding_rule(closest, candidate, compared.values, probability, equivalent)
    if len(compared.references) == 1 and compared.values is not None:  # compared already
        overlap, contained = TokenOverlap._make(compared.values[:_CONTAINED]), compared.values[_CONTAINED] > 0
    else:
        normals = [reference.normal for reference in compared.references]
        overlap = max([overlap_of_words(mine, normal) for normal in normals], key=_F1)
        contained = any(normal.spaced in mine.spaced for normal in normals)
    return Verdict(probability, equivalent, exact, contained, *overlap, closest.text, *deciding)


def _bytes(text: str) -> NDArray[np.uint8]:
    return np.frombuffer(text.encode(), dtype=np.uint8)
