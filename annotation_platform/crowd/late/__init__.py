"""Work that came too late: what a researcher decides about."""
