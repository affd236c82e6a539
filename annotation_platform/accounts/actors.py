"""Who acts: what every service that writes is told, and every event keeps."""

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from ipaddress import ip_address
from typing import Self

from django.conf import settings
from django.http import HttpRequest


class ActorKind(StrEnum):
    PERSON = "person"
    OPERATOR = "operator"
    WORKER = "worker"


@dataclass(frozen=True)
class Actor:
    """A person, the operator at the command line, or a worker; make one with one of the functions below.

    ``user_id`` is the person, or the one on whose behalf a worker acts; None for somebody without an account yet.
    ``via`` is the command (``close_batch``) or the job (``export 12``); ``address`` is the network address.
    """

    kind: ActorKind
    user_id: int | None = None
    via: str = ""
    address: str | None = None

    @classmethod
    def person(cls, user_id: int | None, *, address: str | None = None) -> Self:
        return cls(ActorKind.PERSON, user_id, address=address)

    @classmethod
    def of_request(cls, request: HttpRequest) -> Self:
        """Whoever sent a request; the one place where pages make an actor."""
        return cls.person(request.user.pk, address=client_address(request))

    @classmethod
    def operator(cls, command: str) -> Self:
        return cls(ActorKind.OPERATOR, via=command)

    @classmethod
    def worker(cls, job: str, pk: int | None = None, *, on_behalf_of: int | None = None) -> Self:
        """``job``: the kind of job, or the name of what is done now and then; ``pk``: its row."""
        return cls(ActorKind.WORKER, on_behalf_of, via=job if pk is None else f"{job} {pk}")

    @property
    def is_person(self) -> bool:
        return self.kind == ActorKind.PERSON

    def signed_in_as(self, user_id: int) -> Self:
        """The same one, who has an account now."""
        return replace(self, user_id=user_id)


def client_address(request: HttpRequest) -> str | None:
    """The network address that a request came from, as the outermost of our own proxies saw it.

    Each proxy adds whom it heard to the end of X-Forwarded-For; what stands before those of ours anybody can write.
    """
    heard = request.headers.get("X-Forwarded-For", "").split(",")
    proxies = settings.ALLAUTH_TRUSTED_PROXY_COUNT
    told = heard[-proxies] if 0 < proxies <= len(heard) else ""
    return _address(told) or _address(request.META.get("REMOTE_ADDR", ""))


_WITH_PORT = re.compile(r"\[(?P<six>[^]]+)](?::\d+)?|(?P<four>[\d.]+):\d+")


def _address(text: str) -> str | None:
    """A network address as databases take it; None for what is none, such as the path of a socket."""
    found = _WITH_PORT.fullmatch(text.strip())
    plain = (found["six"] or found["four"]) if found else text.strip()
    try:
        return str(ip_address(plain.partition("%")[0]))
    except ValueError:
        return None
