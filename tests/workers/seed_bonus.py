"""Run as a program in an installation: order a bonus for somebody who came to a study by Prolific."""

import django

django.setup()

from annotation_platform.crowd.providers.prolific.orders import pay_bonuses  # noqa: E402
from tests.crowd.providers.pieces import connected, submission  # noqa: E402
from tests.factories import OPERATOR, make_corpus, make_study  # noqa: E402

connection = connected(make_study(name="Owls", corpus=make_corpus(name="Owls")))
pay_bonuses(connection=connection, lines=[(submission(connection), 150)], actor=OPERATOR)
