"""Run as a program in an installation: write a mail, and order a bonus for somebody who came by Prolific."""

import django

django.setup()

from django.core.mail import send_mail  # noqa: E402
from django.db import transaction  # noqa: E402

from annotation_platform.crowd.providers.prolific.orders import pay_bonuses  # noqa: E402
from tests.crowd.providers.pieces import connected, submission  # noqa: E402
from tests.factories import OPERATOR, make_corpus, make_study  # noqa: E402

connection = connected(make_study(name="Owls", corpus=make_corpus(name="Owls")))
with transaction.atomic():
    send_mail("Your code", "123456", None, ["ada@example.org"])
    pay_bonuses(connection=connection, lines=[(submission(connection), 150)], actor=OPERATOR)
