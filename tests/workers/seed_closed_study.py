"""Run as a program in an installation: migrate, and make a judged study whose batches are closed but not scored."""

import sys

import django

django.setup()

from django.core.management import call_command  # noqa: E402

from tests.factories import make_corpus, study_with_judgments  # noqa: E402

call_command("migrate", verbosity=0)
study_with_judgments(
    annotators=4,
    corpus=make_corpus(questions=3, systems=("alder", "birch")),
    scorer=sys.argv[1],
    values=lambda member, item: {"reasons": f"{member} finds item {item.pk} a little short."},
)
