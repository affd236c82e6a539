"""What the other answers to a question say about a candidate: the second step of answer equivalence.

What several systems say in common is likely right, or another form of the reference. The first step has judged every
answer by itself; here its probabilities are weighed by how much the answers share beyond the question's words. No
verdict of people is used.
"""

from collections.abc import Hashable, Iterator, Sequence

import numpy as np

from annotation_platform.core.arrays import Flags, Floats
from annotation_platform.core.methods.answer_reading import UNKNOWN, Candidate, Reference

OTHERS = (
    # The others' probabilities, whatever they say.
    *("others", "mean", "highest", "lowest", "above_mean", "share_taken"),
    # The same, by how much each has in common with the candidate.
    *("nearest", "nearest_probability", "common", "common_right", "common_wrong", "mean_by_common"),
    *("covers_right", "covers_wrong", "alike_right", "alike_wrong"),
    # The candidate's words: each is worth the mean of (2p - 1) over the others, 0 where they lack it.
    *("words_worth", "best_word", "worst_word", "best_number", "words_found"),
    # The words that the others taken as right have, and how many of the candidate's words of the reference they have.
    *("right_words_covered", "common_words_covered", "match_found"),
)
"""The names of the second step's inputs about the others, in order."""

MOST_TOGETHER = 64
"""Of more answers to one question, those that follow each other are judged together, so many at a time."""

LEAST = 1e-4
"""Probabilities of the first step count as at least this far from 0 and 1."""

NOTHING = UNKNOWN - 1
"""Below every worth of a word."""


def whole_questions(questions: Sequence[Hashable], least: int) -> Iterator[list[list[int]]]:
    """The positions of what is judged together; several questions in a block, with at least so many answers."""
    of_question: dict[Hashable, list[int]] = {}
    for row, question in enumerate(questions):
        of_question.setdefault(question, []).append(row)
    block: list[list[int]] = []
    for rows in of_question.values():
        block += [rows[start : start + MOST_TOGETHER] for start in range(0, len(rows), MOST_TOGETHER)]
        if sum(map(len, block)) >= least:
            yield block
            block = []
    if block:
        yield block


def heard_by(candidates: Sequence[Candidate], systems: Sequence[Hashable]) -> Flags:
    """For the answers to one question, whose others each hears, (n, n): those of other systems that are not blank."""
    codes = {system: code for code, system in enumerate(dict.fromkeys(systems))}
    whose = np.array([codes[system] for system in systems])
    speaks = np.array([bool(candidate.normal.words) for candidate in candidates])
    return np.asarray((whose[:, None] != whose[None, :]) & speaks[None, :])


def second_values(compared: Sequence[tuple[Candidate, Reference]], probabilities: Floats, heard: Flags) -> Floats:
    """The second step's inputs for the answers to one question: the first step's log-odds, then `OTHERS`."""
    candidates, references = zip(*compared, strict=True)
    odds = np.clip(probabilities, LEAST, 1 - LEAST)
    others = features_of_others(candidates, references, probabilities, heard)
    return np.column_stack([np.log(odds / (1 - odds)), others])


def features_of_others(
    candidates: Sequence[Candidate],
    references: Sequence[Reference],
    probabilities: Floats,
    heard: Flags,
) -> Floats:
    """`OTHERS` of each answer to one question, (n, features).

    Parameters
    ----------
    candidates : sequence of Candidate, n
    references : sequence of Reference, n
        The closest to each.
    probabilities : (n,) float
        By the first step.
    heard : (n, n) bool
        Whether for the candidate of the row the answer of the column counts; no candidate counts for itself. Features
        of a candidate without any are `UNKNOWN`, but for their number.
    """
    words, weights, is_number, of_reference = _words(candidates, references)
    p, m = probabilities, heard.astype(np.float64)
    n = m.sum(axis=1)
    each = np.maximum(n, 1)
    shared = (words * weights) @ words.T
    own = np.maximum(np.diagonal(shared), 1e-9)
    mine, theirs = shared / own[:, None], shared / own[None, :]
    alike = 2 * shared / (own[:, None] + own[None, :])
    common = m * np.maximum(mine, theirs)
    have, right = m @ words, (m * p) @ words
    worth = (2 * right - have) / each[:, None]
    has = words > 0
    found = has & (have > 0)
    mean = m @ p / each
    nearest = np.where(heard, common, -1.0).argmax(axis=1)
    rows = np.arange(len(p))
    right_words = weights * np.maximum(2 * right - have, 0)
    common_words = weights * right * (have > 1)
    values = np.column_stack(
        [
            n,
            mean,
            _highest(p, heard),
            -_highest(-p, heard),
            p - mean,
            m @ (p >= 0.5) / each,
            common[rows, nearest],
            p[nearest],
            common.sum(axis=1) / each,
            common @ p / each,
            common @ (1 - p) / each,
            _ratio(common @ p, common.sum(axis=1)),
            (m * theirs * p).max(axis=1),
            (m * theirs * (1 - p)).max(axis=1),
            (m * alike * p).max(axis=1),
            (m * alike * (1 - p)).max(axis=1),
            (worth * weights * words).sum(axis=1) / own,
            np.where(found, worth, NOTHING).max(axis=1),
            -np.where(found, -worth, NOTHING).max(axis=1),
            np.where(found & is_number, worth, NOTHING).max(axis=1),
            (weights * found).sum(axis=1) / own,
            _ratio((right_words * words).sum(axis=1), right_words.sum(axis=1)),
            _ratio((common_words * words).sum(axis=1), common_words.sum(axis=1)),
            _ratio((have * of_reference).sum(axis=1), n * of_reference.sum(axis=1)),
        ]
    )
    values[n == 0, 1:] = UNKNOWN
    return values


def _words(candidates: Sequence[Candidate], references: Sequence[Reference]) -> tuple[Floats, Floats, Flags, Floats]:
    """Which answer has which word beyond the question, (n, words), 0 or 1; their weights; which are numbers; and which
    of an answer's are its reference's, (n, words), 0 or 1."""
    place: dict[str, int] = {}
    weights: list[float] = []
    for candidate in candidates:
        for key, weight in zip(candidate.news, candidate.news_weights, strict=True):
            if key not in place:
                place[key] = len(place)
                weights.append(weight)
    words = np.zeros((len(candidates), max(len(place), 1)))
    of_reference = np.zeros_like(words)
    for row, (candidate, reference) in enumerate(zip(candidates, references, strict=True)):
        words[row, [place[key] for key in candidate.news]] = 1
        of_reference[row, [place[key] for key in reference.keys if key in candidate.news_rank]] = 1
    is_number = np.array([key[0].isdigit() for key in place] or [False], dtype=np.bool_)
    return words, np.array(weights or [0.0]), is_number, of_reference


def _highest(values: Floats, heard: Flags) -> Floats:
    return np.asarray(np.where(heard, values[None, :], -np.inf).max(axis=1))


def _ratio(part: Floats, whole: Floats) -> Floats:
    return np.divide(part, whole, out=np.full(len(part), UNKNOWN), where=whole > 0)
