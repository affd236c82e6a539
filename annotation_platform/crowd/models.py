"""The tables of all topics, where Django looks for them."""

from annotation_platform.crowd.rounds.models import Attempt as Attempt
from annotation_platform.crowd.rounds.models import ItemKey as ItemKey
from annotation_platform.crowd.rounds.models import ItemNote as ItemNote
from annotation_platform.crowd.rounds.models import Round as Round
from annotation_platform.crowd.talk.models import Announcement as Announcement
from annotation_platform.crowd.talk.models import AnnouncementReceipt as AnnouncementReceipt
from annotation_platform.crowd.talk.models import FaqEntry as FaqEntry
from annotation_platform.crowd.talk.models import MailWishes as MailWishes
