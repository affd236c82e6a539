"""The tables of all topics, where Django looks for them."""

from annotation_platform.crowd.adjudication.models import Adjudication as Adjudication
from annotation_platform.crowd.monitor.models import AnnotatorFigures as AnnotatorFigures
from annotation_platform.crowd.monitor.models import MonitorJob as MonitorJob
from annotation_platform.crowd.monitor.models import Paste as Paste
from annotation_platform.crowd.monitor.models import Sign as Sign
from annotation_platform.crowd.monitor.models import Watch as Watch
from annotation_platform.crowd.review.models import Review as Review
from annotation_platform.crowd.rounds.models import Attempt as Attempt
from annotation_platform.crowd.rounds.models import ItemKey as ItemKey
from annotation_platform.crowd.rounds.models import ItemNote as ItemNote
from annotation_platform.crowd.rounds.models import Round as Round
