from annotation_platform.core import sentences as sentences  # first of all: what the errors of this package say
