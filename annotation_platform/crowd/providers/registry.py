"""All providers, in the order in which it is asked by which of them somebody came."""

from collections.abc import Sequence

from annotation_platform.crowd.providers.account import ACCOUNT
from annotation_platform.crowd.providers.contract import Provider
from annotation_platform.crowd.providers.link import LINK
from annotation_platform.crowd.providers.prolific.provider import PROLIFIC
from annotation_platform.crowd.providers.results_file.provider import RESULTS_FILE
from annotation_platform.studies.models import Member

PROVIDERS: tuple[Provider, ...] = (PROLIFIC, RESULTS_FILE, LINK, ACCOUNT)


def providers_of(members: Sequence[Member]) -> list[Provider | None]:
    """By which provider each of some members came; None for who was removed or is only known from an import."""
    brought = [(provider, provider.brought(members)) for provider in PROVIDERS]
    return [next((provider for provider, keys in brought if member.pk in keys), None) for member in members]
