"""What every table of figures shares; each topic has its own tables."""
