"""Checks: items with known answers that are mixed into tasks, unseen; who fails them, and what follows from it.

Their judgments are in no figure: ``Item.objects``, ``Candidate.objects`` and ``Annotation.objects`` leave them out.
"""
