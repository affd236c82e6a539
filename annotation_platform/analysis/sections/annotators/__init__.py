"""Single annotators: leniency, agreement with others, consistency."""
