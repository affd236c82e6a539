"""All agreement figures of a study, from arrays to plain JSON data; a module for each kind of them.

A section of a snapshot is a function of `Measured` (one aspect); ``analysis/sections.py`` lists them all. Numpy and
the statistics are imported here, so that pages do not import this package.
"""
