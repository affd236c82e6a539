"""Write exports of three projects with doccano's own code and database (doccano 1.8.4).

``pip install doccano==1.8.4``, then ``python make.py BACKEND``, BACKEND being its folder ``backend``.
The exports are those of the task that doccano's page starts; a file is named by the member who labelled.
"""

import os
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
FOLDER = tempfile.mkdtemp()
sys.path.insert(0, sys.argv[1])
os.environ |= {"DJANGO_SETTINGS_MODULE": "config.settings.base", "DATABASE_URL": f"sqlite:///{FOLDER}/doccano.db"}

import django  # noqa: E402

django.setup()

from django.contrib.auth import get_user_model  # noqa: E402
from django.core.management import call_command  # noqa: E402

call_command("migrate", verbosity=0)
call_command("create_roles", verbosity=0)

from data_export.celery_tasks import create_individual_dataset  # noqa: E402
from data_export.pipeline.factories import create_formatter, create_writer  # noqa: E402
from examples.models import Comment, Example  # noqa: E402
from label_types.models import CategoryType, SpanType  # noqa: E402
from labels.models import Category, Span, TextLabel  # noqa: E402
from projects.models import (  # noqa: E402
    Member,
    ProjectType,
    Seq2seqProject,
    SequenceLabelingProject,
    TextClassificationProject,
)
from roles.models import Role  # noqa: E402

User = get_user_model()
USERS = [User.objects.create_user(name, f"{name}@example.org", "long-enough") for name in ("wren", "lark@example.org")]
TEXTS = ("The moon pulls the sea.", "Ice floats, I guess.", "Nobody has labelled this one.")


def project(kind, project_type, name):
    made = kind.objects.create(name=name, project_type=project_type, created_by=USERS[0])
    for user in USERS:
        role = Role.objects.get(name="project_admin" if user is USERS[0] else "annotator")
        Member.objects.get_or_create(project=made, user=user, defaults={"role": role})
    return made, [Example.objects.create(project=made, text=text, meta={"source": "quiz"}) for text in TEXTS]


def export(made, file_format, folder):
    target = HERE / folder
    target.mkdir(exist_ok=True)
    create_individual_dataset(made, str(target), False, create_formatter(made, file_format), create_writer(file_format))


made, (first, second, _) = project(TextClassificationProject, ProjectType.DOCUMENT_CLASSIFICATION, "classes")
true, false, short = (CategoryType.objects.create(project=made, text=text) for text in ("true", "false", "short"))
for example, label, user in ((first, true, 0), (first, short, 0), (second, false, 0), (first, false, 1)):
    Category.objects.create(example=example, label=label, user=USERS[user])
Comment.objects.create(example=first, user=USERS[0], text="Tides, too.")
export(made, "JSONL", "classes")
export(made, "CSV", "classes_csv")

made, (first, second, _) = project(SequenceLabelingProject, ProjectType.SEQUENCE_LABELING, "spans")
fact, guess = (SpanType.objects.create(project=made, text=text) for text in ("Fact", "Guess"))
Span.objects.create(example=first, label=fact, user=USERS[0], start_offset=4, end_offset=8)
Span.objects.create(example=second, label=guess, user=USERS[1], start_offset=12, end_offset=19)
export(made, "JSONL", "spans")

made, (first, *_) = project(Seq2seqProject, ProjectType.SEQ2SEQ, "texts")
said = "A text that nobody would take for the name of a label, because it is far too long for one."
TextLabel.objects.create(example=first, user=USERS[0], text=said)
export(made, "JSONL", "texts")
