"""Names that files give to things; a number is taken as its digits."""

from typing import Annotated, Any

from pydantic import BeforeValidator, Field


def _digits(value: Any) -> Any:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


Identifier = Annotated[str, Field(min_length=1, max_length=200), BeforeValidator(_digits)]
Pseudonym = Annotated[str, Field(min_length=1, max_length=60), BeforeValidator(_digits)]
