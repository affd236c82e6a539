"""What all measures share: one aspect's judgments as arrays, how it is measured, and figures as plain data."""
