"""A release as projects of tools in which people label."""
