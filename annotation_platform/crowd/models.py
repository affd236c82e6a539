"""The tables of all topics, where Django looks for them."""

from annotation_platform.crowd.consent.models import Consent as Consent
from annotation_platform.crowd.consent.models import ConsentText as ConsentText
from annotation_platform.crowd.languages.models import RequiredLanguages as RequiredLanguages
from annotation_platform.crowd.languages.models import StatedLanguages as StatedLanguages
from annotation_platform.crowd.pacing.models import BatchRelease as BatchRelease
from annotation_platform.crowd.pacing.models import Pacing as Pacing
from annotation_platform.crowd.providers.models import BonusLine as BonusLine
from annotation_platform.crowd.providers.models import HookEvent as HookEvent
from annotation_platform.crowd.providers.models import ImportedWork as ImportedWork
from annotation_platform.crowd.providers.models import ProlificStudy as ProlificStudy
from annotation_platform.crowd.providers.models import ProviderCall as ProviderCall
from annotation_platform.crowd.providers.models import ProviderIdentity as ProviderIdentity
from annotation_platform.crowd.providers.models import ResultsFile as ResultsFile
from annotation_platform.crowd.providers.models import Submission as Submission
from annotation_platform.crowd.rounds.models import Attempt as Attempt
from annotation_platform.crowd.rounds.models import ItemKey as ItemKey
from annotation_platform.crowd.rounds.models import ItemNote as ItemNote
from annotation_platform.crowd.rounds.models import Round as Round
from annotation_platform.crowd.talk.models import Announcement as Announcement
from annotation_platform.crowd.talk.models import AnnouncementReceipt as AnnouncementReceipt
from annotation_platform.crowd.talk.models import FaqEntry as FaqEntry
from annotation_platform.crowd.talk.models import MailWishes as MailWishes
