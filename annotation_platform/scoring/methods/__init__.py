"""The methods that runs execute, by name."""

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.scoring.methods.contract import Asked, Option, OptionKind, RunMethod, typed_as
from annotation_platform.scoring.methods.equivalence import Equivalence
from annotation_platform.scoring.methods.judging import Judging
from annotation_platform.scoring.methods.mate import Mate
from annotation_platform.scoring.methods.rescaling import Rescaling
from annotation_platform.scoring.methods.rev import Rev
from annotation_platform.scoring.models import Method

__all__ = ["METHODS", "Asked", "Option", "OptionKind", "RunMethod", "run_method", "typed_as"]

METHODS: dict[str, RunMethod] = {
    method.method: method for method in (Rescaling(), Judging(), Mate(), Equivalence(), Rev())
}


def run_method(method: str) -> RunMethod:
    """The method of this name.

    Raises
    ------
    InvalidInputError
        When there is none.
    """
    if method not in METHODS:
        raise InvalidInputError("scoring.no_method", method=method, methods=[*Method.values])
    return METHODS[method]
