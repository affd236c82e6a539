"""The tables of all topics, where Django looks for them."""

from annotation_platform.crowd.consent.models import Consent as Consent
from annotation_platform.crowd.consent.models import ConsentText as ConsentText
from annotation_platform.crowd.providers.models import BonusLine as BonusLine
from annotation_platform.crowd.providers.models import HookEvent as HookEvent
from annotation_platform.crowd.providers.models import ImportedWork as ImportedWork
from annotation_platform.crowd.providers.models import ProlificStudy as ProlificStudy
from annotation_platform.crowd.providers.models import ProviderCall as ProviderCall
from annotation_platform.crowd.providers.models import ProviderIdentity as ProviderIdentity
from annotation_platform.crowd.providers.models import ResultsFile as ResultsFile
from annotation_platform.crowd.providers.models import Submission as Submission
