"""The distilled rescaler: f(label, explanation) without a language model, from an artefact under 1 MB.

A linear model that learned from judgments which a language model had scored. `distilled.train` makes it; this
module only applies it, with numpy and scipy: offline, free, deterministic. What it was trained on and how well
it does on articles, corpora and annotators that it has not seen is in `Distilled.metadata` and in
docs/reference/distilled-rescaler.md.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import Any, Self
from zipfile import BadZipFile

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from annotation_platform.core.arrays import Codes, Flags, Floats

ARTEFACT = Path(__file__).with_name("distilled_ebr.npz")
FORMAT = 1
CERTAIN = 0.6
"""An end of the scale is taken outright when its estimated probability is above this."""

OUTPUTS = 3
SCORE, IS_HIGHEST, IS_LOWEST = range(OUTPUTS)
NUMBER_WORD = "0"

_BLOCK = 8192
_DIGITS = re.compile(r"\d+")
_TOKEN = re.compile(r"0|[^\W\d_]+(?:'[^\W\d_]+)?")


class ArtefactError(ValueError):
    """A file is not an artefact that this version can read."""


def tokenise(text: str) -> list[str]:
    """Lower-case words and, for every run of digits, one and the same token.

    Which sentence an explanation cites says nothing about other articles; that it cites one does.

    Examples
    --------
    >>> tokenise("It doesn't cite Sentences 12-14.")
    ['it', "doesn't", 'cite', 'sentences', '0', '0']
    """
    return _TOKEN.findall(_DIGITS.sub(NUMBER_WORD, text.lower().replace("’", "'")))


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """Word 1-, 2- and 3-grams, each known by its parts.

    A pair is the key ``first · W + second`` of two of the W words; a triple is ``pair · W + third``, with the
    position of its first two words among the pairs. Every part of an n-gram is in the vocabulary itself.
    Features are numbered words first, then pairs, then triples.

    Attributes
    ----------
    words : tuple of str
    pairs, triples : int arrays, ascending
    """

    words: tuple[str, ...]
    pairs: Codes
    triples: Codes

    def __len__(self) -> int:
        return len(self.words) + len(self.pairs) + len(self.triples)

    @cached_property
    def _code(self) -> dict[str, int]:
        return {word: code for code, word in enumerate(self.words)}

    def counts(self, texts: Sequence[str]) -> sparse.csr_array:
        """How often each n-gram occurs in each text, (n, F)."""
        tokens = [tokenise(text) for text in texts]
        lengths = np.fromiter(map(len, tokens), dtype=np.int64, count=len(tokens))
        document = np.repeat(np.arange(len(tokens)), lengths)
        code = self._code
        word = np.fromiter(
            (code.get(token, -1) for token in chain.from_iterable(tokens)), np.int64, count=len(document)
        )
        pair = self._extend(word[:-1], word[1:], document[:-1] == document[1:], self.pairs)
        triple = self._extend(pair[:-1], word[2:], document[:-2] == document[2:], self.triples)

        n_words, n_pairs = len(self.words), len(self.pairs)
        rows, columns = [], []
        for found, offset in ((word, 0), (pair, n_words), (triple, n_words + n_pairs)):
            known = np.flatnonzero(found >= 0)
            rows.append(document[known])
            columns.append(found[known] + offset)
        row, column = np.concatenate(rows), np.concatenate(columns)
        ones = np.ones(len(row))
        return sparse.csr_array(sparse.coo_array((ones, (row, column)), shape=(len(tokens), len(self))))

    def features(self, texts: Sequence[str]) -> sparse.csr_array:
        """Rows of 1 + ln(count), scaled to Euclidean length 1; a text without known n-grams is all zeros."""
        matrix = self.counts(texts)
        matrix.data = 1 + np.log(matrix.data)
        norms = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
        matrix.data /= np.repeat(norms, np.diff(matrix.indptr))
        return matrix

    def _extend(self, left: Codes, right: Codes, adjacent: Flags, keys: Codes) -> Codes:
        """Position among `keys` of each left part followed by a right word, -1 where it is not there."""
        found = np.full(len(left), -1, dtype=np.int64)
        possible = np.flatnonzero(adjacent & (left >= 0) & (right >= 0))
        if len(keys) and len(possible):
            wanted = left[possible] * len(self.words) + right[possible]
            position = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
            found[possible] = np.where(keys[position] == wanted, position, -1)
        return found


@dataclass(frozen=True, eq=False)
class Distilled:
    """A trained rescaler for a scale of k labels, which also serves other scales.

    Attributes
    ----------
    vocabulary : Vocabulary
        F n-grams.
    weights : (F, k, 3) float
        For each n-gram and label, in ascending order of the labels' numbers, its part in three outputs: the
        score, and the probabilities that the score is 100 and that it is 0.
    intercepts : (k, 3) float
    label_means : (k, 3) float
        The outputs' means over the training judgments with each label.
    scale_numbers : (k,) float
        The numbers of the labels in training, ascending, 0..100.
    metadata : dict
        What it was trained on, how, and its held-out figures.
    """

    vocabulary: Vocabulary
    weights: Floats
    intercepts: Floats
    label_means: Floats
    scale_numbers: Floats
    metadata: dict[str, Any]

    def predict(self, labels: ArrayLike, explanations: Sequence[str], scale_numbers: Sequence[float]) -> Floats:
        """Score judgments from their labels and explanations.

        With x the explanation's unit-length vector of 1 + ln(count) over its n-grams, and r its label::

            o = intercept[r] + x · weights[r]               three outputs: score, p100, p0
            f = 100 if p100 > 0.6, 0 if p0 > 0.6, else score clipped to 0..100

        rounded to an integer (half to even).

        Parameters
        ----------
        labels : (n,) int
            Position of each judgment's label in `scale_numbers`.
        explanations : (n,) str
            English; see Notes.
        scale_numbers : (l,) float
            The numbers of the scale's labels on 0..100, 100 the best, no two alike, in any order (see
            `ebr.hundred_point_numbers`).

        Returns
        -------
        (n,) float
            Integers 0..100; NaN for a blank explanation (f gives nothing there).

        Raises
        ------
        ValueError
            Lengths differ, a label is not on the scale, or a scale number is doubled or outside 0..100.

        Notes
        -----
        - A scale with as many labels as the training scale is matched by position, worst to best. Any other
          is matched by number: a label's outputs are interpolated linearly between those of the two training
          labels whose numbers lie around its own.
        - An explanation without a single known word (another language, say) takes the mean outputs of its
          label, so that the label alone decides.
        """
        return decide(self.outputs(labels, explanations, scale_numbers))

    def outputs(self, labels: ArrayLike, explanations: Sequence[str], scale_numbers: Sequence[float]) -> Floats:
        """The three outputs o of `predict` (score, p100, p0) for each judgment, (n, 3); NaN for a blank explanation.

        Parameters and errors are those of `predict`. They are a regression's: p100 and p0 may leave 0..1.
        """
        numbers = np.asarray(scale_numbers, dtype=np.float64)
        label = np.asarray(labels, dtype=np.int64)
        _check(label, explanations, numbers)
        mixing = self._mixing(numbers)
        weights = np.einsum("lk,fko->flo", mixing, self.weights).reshape(-1, len(numbers) * OUTPUTS)
        intercepts, means = mixing @ self.intercepts, mixing @ self.label_means

        texts, which = _distinct(explanations)
        outputs = np.empty((len(texts), len(numbers), OUTPUTS))
        for block in _blocks(len(texts)):
            x = self.vocabulary.features(texts[block])
            outputs[block] = (x @ weights).reshape(-1, *intercepts.shape) + intercepts
            outputs[block][~self._knows_a_word(x)] = means
        blank = np.array([not text.strip() for text in texts], dtype=np.bool_)
        outputs[blank] = np.nan
        return outputs[which, label]

    def to_bytes(self) -> bytes:
        """The artefact: arrays and JSON in a zip, no pickle; the same model gives the same bytes."""
        file = BytesIO()
        np.savez_compressed(
            file,
            words=_bytes("\n".join(self.vocabulary.words)),
            pairs=self.vocabulary.pairs,
            triples=self.vocabulary.triples,
            weights=self.weights.astype(np.float16),
            intercepts=self.intercepts,
            label_means=self.label_means,
            scale_numbers=self.scale_numbers,
            metadata=_bytes(json.dumps(self.metadata, sort_keys=True)),
        )
        return file.getvalue()

    def save(self, path: Path) -> None:
        """Write the artefact to a file."""
        path.write_bytes(self.to_bytes())

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read an artefact from a file; errors are those of `from_bytes`."""
        return cls.from_bytes(path.read_bytes(), name=path.name)

    @classmethod
    def from_bytes(cls, content: bytes, *, name: str) -> Self:
        """Read an artefact; `name` is what messages call it.

        Raises
        ------
        ArtefactError
            It is not an artefact of the format that this version reads.
        """
        try:
            with np.load(BytesIO(content), allow_pickle=False) as arrays:
                metadata = json.loads(arrays["metadata"].tobytes())
                if metadata.get("format") != FORMAT:
                    raise ArtefactError(f"{name} has format {metadata.get('format')}; this version reads {FORMAT}.")
                return cls(
                    vocabulary=Vocabulary(
                        words=tuple(arrays["words"].tobytes().decode().split()),
                        pairs=arrays["pairs"],
                        triples=arrays["triples"],
                    ),
                    weights=arrays["weights"].astype(np.float64),
                    intercepts=arrays["intercepts"],
                    label_means=arrays["label_means"],
                    scale_numbers=arrays["scale_numbers"],
                    metadata=metadata,
                )
        except ArtefactError:
            raise
        except (AttributeError, BadZipFile, EOFError, KeyError, TypeError, ValueError) as error:
            raise ArtefactError(f"{name} is not a rescaler's artefact: {error}") from error

    def _mixing(self, numbers: Floats) -> Floats:
        """(l, k): how much of each training label makes up each label of a scale."""
        k = len(self.scale_numbers)
        if len(numbers) == k:
            return np.eye(k)[np.argsort(np.argsort(numbers))]
        return np.column_stack([np.interp(numbers, self.scale_numbers, unit) for unit in np.eye(k)])

    def _knows_a_word(self, x: sparse.csr_array) -> Flags:
        is_word = np.zeros(x.shape[1])
        is_word[[code for code, word in enumerate(self.vocabulary.words) if word != NUMBER_WORD]] = 1
        return np.asarray(x @ is_word) > 0


@lru_cache(maxsize=1)
def load_default() -> Distilled:
    """The rescaler that comes with the platform, read once per process."""
    return Distilled.load(ARTEFACT)


def decide(outputs: Floats) -> Floats:
    """The scores f that the three outputs, (n, 3), amount to; see `Distilled.predict`."""
    score = np.rint(np.clip(outputs[:, SCORE], 0, 100))
    score = np.where(outputs[:, IS_HIGHEST] > CERTAIN, 100.0, score)
    return np.where(outputs[:, IS_LOWEST] > CERTAIN, 0.0, score)


def _distinct(explanations: Sequence[str]) -> tuple[list[str], Codes]:
    """Each text once, and where each judgment finds its own: annotators often repeat themselves."""
    place: dict[str, int] = {}
    which = [place.setdefault(text, len(place)) for text in explanations]
    return list(place), np.array(which, dtype=np.int64)


def _blocks(n: int) -> Iterator[slice]:
    for start in range(0, n, _BLOCK):
        yield slice(start, start + _BLOCK)


def _bytes(text: str) -> NDArray[np.uint8]:
    return np.frombuffer(text.encode(), dtype=np.uint8)


def _check(label: Codes, explanations: Sequence[str], numbers: Floats) -> None:
    if label.shape != (len(explanations),):
        raise ValueError(f"There are {label.size} labels for {len(explanations)} explanations.")
    if len(np.unique(numbers)) != len(numbers) or numbers.size < 1:
        raise ValueError("scale_numbers must give each label a number of its own.")
    if numbers.min() < 0 or numbers.max() > 100:
        raise ValueError("scale_numbers must lie between 0 and 100.")
    if label.size and (label.min() < 0 or label.max() >= len(numbers)):
        raise ValueError(f"labels must be positions 0..{len(numbers) - 1} on the scale.")
