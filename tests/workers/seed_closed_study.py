"""Run as a program in an installation: make a judged study whose batches are closed but not scored.

Its arguments are the study's scorer and, where a run is to be in the queue already, that run's parameters as JSON.
"""

import json
import sys

import django

django.setup()

from annotation_platform.scoring.services import start_run  # noqa: E402
from tests.factories import OPERATOR, make_corpus, study_with_judgments  # noqa: E402

study = study_with_judgments(
    annotators=4,
    corpus=make_corpus(questions=3, systems=("alder", "birch")),
    scorer=sys.argv[1],
    values=lambda member, item: {"reasons": f"{member} finds item {item.pk} a little short."},
)
if len(sys.argv) > 2:
    start_run(study=study, scorer=sys.argv[1], parameters=json.loads(sys.argv[2]), actor=OPERATOR)
