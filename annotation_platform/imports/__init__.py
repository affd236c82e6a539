"""Importing files: upload, first rows, mapping, dry run, the job; by the page and by ``manage.py import_study``."""
