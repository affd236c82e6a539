"""How people worked, as a section of a snapshot."""

from annotation_platform.analysis.measuring.snapshot_input import StudySection
from annotation_platform.analysis.sections.work.measure import work_figures
from annotation_platform.analysis.sections.work.reading import read_work

STUDY_SECTIONS = {"work": StudySection(read_work, work_figures)}
