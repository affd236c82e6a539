"""Vacuous rationales: what can be said for an answer without saying anything new.

REV measures a rationale against one that is made from the input and the label alone. For pairs of sentences (natural
language inference) a template does; for a question and its answer a declarative sentence, by rules or by a converter
of your own.
"""

from collections.abc import Sequence
from typing import Protocol

from annotation_platform.core.errors import CodedError
from annotation_platform.core.methods.rev.declarative import declare

INFERENCE = {"entailment": "implies", "contradiction": "contradicts", "neutral": "is not related to"}
"""The label of a pair of sentences → the words between them, as in the REV paper, table 2."""


class VacuousError(CodedError, ValueError):
    """A vacuous rationale cannot be made, with the reason."""


class Converter(Protocol):
    """Makes declarative sentences of questions and answers, such as a fine-tuned sequence-to-sequence model."""

    def __call__(self, questions: Sequence[str], answers: Sequence[str]) -> Sequence[str]:
        """One sentence a pair, in their order."""


def by_rules(questions: Sequence[str], answers: Sequence[str]) -> list[str]:
    """The converter that needs no model; see `declarative.declare`."""
    return [declare(question, answer).text for question, answer in zip(questions, answers, strict=True)]


def of_answers(questions: Sequence[str], answers: Sequence[str], *, converter: Converter = by_rules) -> list[str]:
    """The vacuous rationale of each answer: question and answer as one declarative sentence.

    Parameters
    ----------
    questions, answers : sequences of str, of one length
    converter : Converter, optional
        In the place of the rules.

    Raises
    ------
    VacuousError
        The converter gave another number of sentences, or a blank one.
    """
    sentences = list(converter(questions, answers))
    if len(sentences) != len(questions):
        raise VacuousError("vacuous.sentences_missing", sentences=len(sentences), questions=len(questions))
    for question, sentence in zip(questions, sentences, strict=True):
        if not sentence.strip():
            raise VacuousError("vacuous.no_sentence", question=question)
    return sentences


def of_inference(premise: str, hypothesis: str, label: str, *, words: dict[str, str] | None = None) -> str:
    """The vacuous rationale of a label on a pair of sentences: "premise implies hypothesis".

    Parameters
    ----------
    premise, hypothesis : str
    label : str
        A key of `words`.
    words : dict, optional
        Label → what stands between the two; `INFERENCE` unless given.

    Raises
    ------
    VacuousError
        There are no words for the label.

    Examples
    --------
    >>> of_inference("A dog running in the surf.", "A dog is at the beach.", "entailment")
    'A dog running in the surf implies a dog is at the beach.'
    """
    between = INFERENCE if words is None else words
    if label not in between:
        raise VacuousError("vacuous.no_template", label=label, known=[*between])
    return f"{premise.strip().rstrip('.')} {between[label]} {_lower(hypothesis.strip().rstrip('.'))}."


def _lower(sentence: str) -> str:
    """The sentence within another: its first word small where it is an article or the like."""
    first, space, rest = sentence.partition(" ")
    small = first.lower() in {"a", "an", "the", "some", "there", "two", "three", "he", "she", "it", "they", "people"}
    return f"{first.lower() if small else first}{space}{rest}"
