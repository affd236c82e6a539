from annotation_platform.core import sentences as sentences  # first of all: what the errors of this package say
from annotation_platform.core import sentences_of_figures as sentences_of_figures
