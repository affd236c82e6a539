"""What ``benchmarks.api`` asks with: prints a token of an operator, and keys of what the first study has.

With ``--measured``, the study has a snapshot and a release by name first, so that figures and releases can be read.
"""

import json
import os
import sys
from uuid import uuid4

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotation_platform.settings")
django.setup()

from annotation_platform.accounts.actors import Actor  # noqa: E402
from annotation_platform.accounts.models import User  # noqa: E402
from annotation_platform.accounts.tokens import create_token  # noqa: E402
from annotation_platform.analysis.snapshots.taking import take_snapshot  # noqa: E402
from annotation_platform.imports.sql import update_planner_statistics  # noqa: E402
from annotation_platform.releases.models import Release  # noqa: E402
from annotation_platform.studies.models import Role, Study  # noqa: E402
from annotation_platform.studies.services import add_member  # noqa: E402

actor = Actor.operator("benchmark")
update_planner_statistics()  # as an import does at its end
user = User.objects.create_user(f"{uuid4().hex}@example.org", is_staff=True)
study = Study.objects.order_by("pk").first()
assert study is not None
admin = add_member(study=study, role=Role.ADMIN, user=user, actor=actor)
if "--measured" in sys.argv:
    take_snapshot(study=study, resamples=2)
    Release.objects.get_or_create(study=study, number=1, defaults={"requested_by": admin, "status": "failed"})
_, secret = create_token(user=user, name="benchmark", scopes=["admin"], actor=actor)
items = study.items.order_by("pk").values_list("pk", flat=True)
runs = study.scoring_runs.order_by("pk").values_list("pk", flat=True)
print(json.dumps({"token": secret, "slug": study.slug, "item": items.first(), "run": runs.first()}))
