"""Prolific's own file of a study's participants: compared with what is here, and what is kept of it by choice."""
