"""Releases: a study frozen into a folder that proves itself, can be made again, compared, shared and withdrawn."""
