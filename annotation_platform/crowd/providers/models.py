"""The tables of all providers, and the vault."""

from annotation_platform.crowd.providers.prolific.models import BonusLine as BonusLine
from annotation_platform.crowd.providers.prolific.models import HookEvent as HookEvent
from annotation_platform.crowd.providers.prolific.models import ProlificStudy as ProlificStudy
from annotation_platform.crowd.providers.prolific.models import ProviderCall as ProviderCall
from annotation_platform.crowd.providers.prolific.models import Submission as Submission
from annotation_platform.crowd.providers.prolific.participants.models import (
    ParticipantAttributes as ParticipantAttributes,
)
from annotation_platform.crowd.providers.prolific.participants.models import ParticipantsFile as ParticipantsFile
from annotation_platform.crowd.providers.results_file.models import ImportedWork as ImportedWork
from annotation_platform.crowd.providers.results_file.models import ResultsFile as ResultsFile
from annotation_platform.crowd.providers.vault.models import ProviderIdentity as ProviderIdentity
