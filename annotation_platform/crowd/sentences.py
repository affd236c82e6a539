"""What the errors of this app say, topic by topic."""
