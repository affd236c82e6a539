"""Every chart, from a figure's rows to an Altair chart; imported soon after the web process has started."""

from annotation_platform.analysis.charts.base import Draw
from annotation_platform.analysis.topics import collected

CHARTS: dict[str, Draw] = collected("charts", "CHARTS")
