"""Joining a study, its people, and the scheme language for editors."""
