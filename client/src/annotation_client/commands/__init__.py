"""The commands of ``annotate``, by what they are about."""
