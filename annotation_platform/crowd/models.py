"""The tables of all topics, where Django looks for them."""

from annotation_platform.crowd.languages.models import RequiredLanguages as RequiredLanguages
from annotation_platform.crowd.languages.models import StatedLanguages as StatedLanguages
from annotation_platform.crowd.pacing.models import BatchRelease as BatchRelease
from annotation_platform.crowd.pacing.models import Pacing as Pacing
from annotation_platform.crowd.pay.models import LedgerEntry as LedgerEntry
from annotation_platform.crowd.pay.models import PaymentLine as PaymentLine
from annotation_platform.crowd.pay.models import PaymentRun as PaymentRun
from annotation_platform.crowd.pay.models import PayTerms as PayTerms
from annotation_platform.crowd.rounds.models import Attempt as Attempt
from annotation_platform.crowd.rounds.models import ItemKey as ItemKey
from annotation_platform.crowd.rounds.models import ItemNote as ItemNote
from annotation_platform.crowd.rounds.models import Round as Round
