"""Run as a program in an installation: make a study with an open batch, an annotator and an admin."""

import django

django.setup()

from annotation_platform.accounts.models import User  # noqa: E402
from annotation_platform.studies.models import Role  # noqa: E402
from annotation_platform.studies.services import add_member, open_batch, plan_batches  # noqa: E402
from tests.factories import OPERATOR, make_corpus, make_study  # noqa: E402

study = make_study(
    name="Open", corpus=make_corpus(questions=2, systems=("alder",)), overlap=1, questions_per_hit=1, hits_per_batch=1
)
for name, role in (("ada", Role.ANNOTATOR), ("grace", Role.ADMIN)):
    add_member(
        study=study, role=role, user=User.objects.create_user(f"{name}@example.org", "a long password"), actor=OPERATOR
    )
for batch in plan_batches(study=study):
    open_batch(batch=batch, actor=OPERATOR)
