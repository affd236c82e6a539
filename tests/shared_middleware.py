"""One chain of middleware for all test clients of a process: each would build its own, and look for all static files.

That takes ten milliseconds of a processor, for thousands of clients. A test that changes a setting gets a chain of its
own, as does the next one after it.
"""

from typing import Any


def share() -> None:
    from django.core.signals import setting_changed
    from django.test.client import ClientHandler

    load, shared = ClientHandler.load_middleware, dict[str, Any]()

    def load_once(handler: ClientHandler, is_async: bool = False) -> None:
        if not shared:
            load(handler, is_async)
            shared.update({name: value for name, value in vars(handler).items() if name.startswith("_")})
        vars(handler).update(shared)

    ClientHandler.load_middleware = load_once  # type: ignore[method-assign]
    setting_changed.connect(lambda **_: shared.clear(), weak=False)
