"""Run as a program in an installation: a judged study, and an edited scheme that waits to become its own."""

import django

django.setup()

from annotation_platform.annotations.migrating import request_migration  # noqa: E402
from annotation_platform.core.schemes.writing import write_scheme  # noqa: E402
from tests.annotations.test_migrating import RENAMINGS, edited  # noqa: E402
from tests.factories import OPERATOR, make_corpus, study_with_judgments  # noqa: E402

study = study_with_judgments(
    annotators=6,
    corpus=make_corpus(articles=10, questions=20, systems=("alder", "birch")),
    values=lambda member, item: {"completeness": "complete", "reasons": f"{member} on item {item.pk}."},
)
request_migration(
    study=study, text=write_scheme(edited()), renamings="\n".join(RENAMINGS), wanted="migrate", actor=OPERATOR
)
