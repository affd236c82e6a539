"""Whether submitted work is approved or rejected, why, and what its annotator says to that."""
