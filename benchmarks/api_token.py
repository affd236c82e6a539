"""What ``benchmarks.api`` asks with: prints a token of an operator and the slug of the first study."""

import json
import os
from uuid import uuid4

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotation_platform.settings")
django.setup()

from annotation_platform.accounts.actors import Actor  # noqa: E402
from annotation_platform.accounts.models import User  # noqa: E402
from annotation_platform.accounts.tokens import create_token  # noqa: E402
from annotation_platform.imports.sql import update_planner_statistics  # noqa: E402
from annotation_platform.studies.models import Role, Study  # noqa: E402
from annotation_platform.studies.services import add_member  # noqa: E402

actor = Actor.operator("benchmark")
update_planner_statistics()  # as an import does at its end
user = User.objects.create_user(f"{uuid4().hex}@example.org", is_staff=True)
study = Study.objects.order_by("pk").first()
assert study is not None
add_member(study=study, role=Role.ADMIN, user=user, actor=actor)
_, secret = create_token(user=user, name="benchmark", scopes=["admin"], actor=actor)
print(json.dumps({"token": secret, "slug": study.slug}))
