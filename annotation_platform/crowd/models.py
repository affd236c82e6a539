"""The tables of all topics, where Django looks for them."""

from annotation_platform.crowd.languages.models import RequiredLanguages as RequiredLanguages
from annotation_platform.crowd.languages.models import StatedLanguages as StatedLanguages
from annotation_platform.crowd.pacing.models import Pacing as Pacing
from annotation_platform.crowd.pacing.models import Release as Release
