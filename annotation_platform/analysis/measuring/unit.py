"""What figures speak for, as `core.statistics.units` has it."""

from annotation_platform.core.statistics.units import FEWEST_ARTICLES, Unit, unit_of

__all__ = ["FEWEST_ARTICLES", "Unit", "unit_of"]
