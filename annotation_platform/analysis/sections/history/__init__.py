"""Earlier snapshots of a study, and two of them beside each other."""
