"""A reason reads as English and travels with its code and parameters."""

import pickle

from annotation_platform.core.citations import SentenceReferenceError
from annotation_platform.core.errors import ConflictError, InvalidInputError
from annotation_platform.core.reasons import Reason


def test_a_reason_keeps_its_code_when_it_is_pickled() -> None:
    reason = pickle.loads(pickle.dumps(Reason("judgment.no_choice", value="maybe", choices=["yes", "no"])))
    assert reason == "“maybe” is not one of the choices (yes, no)."
    assert (reason.code, reason.parameters) == ("judgment.no_choice", {"value": "maybe", "choices": ["yes", "no"]})


def test_an_error_takes_the_reason_of_another() -> None:
    first = SentenceReferenceError("sentences.backwards", piece="5-3")
    second = ConflictError(first.reason)
    assert (str(second), second.reason.code) == (str(first), "sentences.backwards")


def test_what_is_wrong_line_by_line_is_not_part_of_the_sentence() -> None:
    error = InvalidInputError("judgment.no_aspect", ["a", "b"])
    assert (str(error), error.reasons) == ("This scheme has no such aspect.", ["a", "b"])
