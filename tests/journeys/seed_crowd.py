"""Run as a program in an installation: two people who may make studies, and the corpora of a study and of its round.

Prints their session keys as JSON, by name. The first one has the corpora.
"""

import json
import sys

import django

django.setup()

from django.conf import settings  # noqa: E402
from django.test import Client  # noqa: E402

from annotation_platform.accounts.models import User  # noqa: E402
from annotation_platform.corpus.models import Answer, Question  # noqa: E402
from tests.factories import make_corpus  # noqa: E402

sessions = {}
for name in ("iris", "bo"):
    user = User.objects.create_user(f"{name}@example.org", is_staff=True)
    client = Client()
    client.force_login(user, backend=settings.AUTHENTICATION_BACKENDS[0])
    sessions[name] = client.cookies[settings.SESSION_COOKIE_NAME].value

iris = User.objects.get(email="iris@example.org")
for name, articles, questions in (("Harbour", 4, 2), ("First catch", 1, 2), ("Six items", 1, 6)):
    make_corpus(name=name, owner=iris, articles=articles, questions=questions, systems=("alder",))
Question.objects.update(choices=["a bridge", "a ferry", "a tunnel"])
Answer.objects.update(rationale="Because the bridge was closed in May.")
json.dump(sessions, sys.stdout)
