"""People and a language model: in a rater's place, and against the majority."""
