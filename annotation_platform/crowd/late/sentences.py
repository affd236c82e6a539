"""What the errors of this topic say."""

from annotation_platform.core.reasons import add_sentences
from annotation_platform.core.reasons import gettext_noop as _

add_sentences({"crowd.no_late_work": _("There is no such late work, or it is not in a study of yours.")})
