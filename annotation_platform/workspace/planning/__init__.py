"""Planning a study that has no pilot."""
