"""Projects of other tools in which people label: items, annotators, what they said, and the form as a scheme."""
