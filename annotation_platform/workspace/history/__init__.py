"""Who did what in a study."""
