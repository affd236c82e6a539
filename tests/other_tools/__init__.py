"""Other tools themselves, each in an environment of its own: what they write comes here, what goes there is read."""
