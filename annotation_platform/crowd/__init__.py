"""Running a crowd: who comes in, who qualifies, what is released when, who is watched, told, and paid what.

Each topic is a folder with all that belongs to it: models, services, pages. ``models.py``, ``urls.py``, ``pages.py``
and ``sentences.py`` list them.
"""
