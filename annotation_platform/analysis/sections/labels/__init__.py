"""How often each label was given, and the mean score behind each."""
