"""Sessions as Django keeps them in its database. Every request reads one, by SQL that is made once."""

from typing import Any

from django.contrib.sessions.backends.db import SessionStore as DatabaseStore
from django.contrib.sessions.models import Session
from django.utils import timezone

from annotation_platform.server.compiled_queries import CompiledQuery

_BY_KEY = CompiledQuery(lambda key: Session.objects.filter(session_key=key))


class SessionStore(DatabaseStore):
    def load(self) -> dict[str, Any]:
        session: Session | None = _BY_KEY.first(self.session_key)
        if session is None or session.expire_date <= timezone.now():
            self._session_key = None  # so that another one is begun
            return {}
        found: dict[str, Any] = self.decode(session.session_data)
        return found
