"""Qualification: rounds that people pass before they may take tasks of a study.

A round is a small study of its own, with a corpus and a scheme; the page on which people annotate serves it as any
other, and its judgments are in no figure of the study that it qualifies for.
"""
