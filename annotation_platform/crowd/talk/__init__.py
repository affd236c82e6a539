"""Talking with annotators: threads about tasks and about the study, announcements to many, and frequent questions."""
