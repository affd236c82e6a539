"""The REST API: the pages' services and selectors for programs, topic by topic."""
