"""Run as a program: an operator of the platform; prints a token of theirs."""

import django

django.setup()

from tests.api.clients import token_for  # noqa: E402
from tests.factories import UserFactory  # noqa: E402

print(token_for(UserFactory(is_staff=True)))
