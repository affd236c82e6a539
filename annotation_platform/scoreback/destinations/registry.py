"""All programs that scores can go back to, in the order of the page."""

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.scoreback.destinations.contract import Destination
from annotation_platform.scoreback.destinations.langfuse import Langfuse
from annotation_platform.scoreback.destinations.langsmith import LangSmith
from annotation_platform.scoreback.destinations.phoenix import Phoenix

DESTINATIONS: dict[str, Destination] = {each.key: each for each in (Langfuse(), Phoenix(), LangSmith())}


def destination(key: str) -> Destination:
    """
    Raises
    ------
    InvalidInputError
        When there is none of this name.
    """
    if key not in DESTINATIONS:
        raise InvalidInputError("scoreback.no_program", program=key[:40], known=[*DESTINATIONS])
    return DESTINATIONS[key]
