"""Programs that speak to the API with a token."""

import json
from typing import Any

from django.test import Client

from annotation_platform.accounts.models import User
from annotation_platform.accounts.tokens import create_token
from tests.factories import OPERATOR

ROOT = "/api/v1"


def token_for(user: User, *scopes: str, **how: Any) -> str:
    _, secret = create_token(user=user, name="a script", scopes=scopes or ["admin", "annotate"], actor=OPERATOR, **how)
    return secret


def program(user: User, *scopes: str, **headers: str) -> Client:
    """A client that sends a token of this user; without scopes one that may do everything."""
    return with_token(token_for(user, *scopes), **headers)


def with_token(secret: str, **headers: str) -> Client:
    return Client(headers={"authorization": f"Bearer {secret}", **headers})


def send(client: Client, method: str, path: str, body: Any = None, **headers: str) -> Any:
    """A request with a body of JSON."""
    data = "" if body is None else json.dumps(body)
    return client.generic(method, f"{ROOT}{path}", data, content_type="application/json", headers=headers)
