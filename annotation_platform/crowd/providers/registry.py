"""All providers, in the order in which it is asked by which of them somebody came."""

from annotation_platform.crowd.providers.account import ACCOUNT
from annotation_platform.crowd.providers.contract import Provider
from annotation_platform.crowd.providers.link import LINK
from annotation_platform.crowd.providers.prolific.provider import PROLIFIC
from annotation_platform.crowd.providers.results_file.provider import RESULTS_FILE
from annotation_platform.studies.models import Member

PROVIDERS: tuple[Provider, ...] = (PROLIFIC, RESULTS_FILE, LINK, ACCOUNT)


def provider_of(member: Member) -> Provider | None:
    """By which provider a member came; None for somebody who was removed or is only known from an import."""
    return next((provider for provider in PROVIDERS if provider.brought(member)), None)
