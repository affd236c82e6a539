"""One chain of middleware for all test clients of a process: each would build its own, and look for all static files.

That takes ten milliseconds of a processor, for thousands of clients. A test that changes a setting gets a chain of its
own, as does the next one after it, but for settings that no middleware looks at when it is made.
"""

from typing import Any

OF_NO_MIDDLEWARE = {
    *("DATA_DIR", "EXPORTS_DIR", "IMPORTS_DIR", "RELEASES_DIR"),
    *("MODEL_KEYS", "OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL", "PRIVATE_MODEL_ADDRESSES"),
    *("IDENTITY_KEYS", "PROLIFIC_API_URL", "RUN_STALE_AFTER_SECONDS", "WEBHOOK_PRIVATE_ADDRESSES"),
}
"""Those that many tests change."""


def share() -> None:
    from django.core.signals import setting_changed
    from django.test.client import ClientHandler

    load, shared = ClientHandler.load_middleware, dict[str, Any]()

    def load_once(handler: ClientHandler, is_async: bool = False) -> None:
        if not shared:
            load(handler, is_async)
            shared.update({name: value for name, value in vars(handler).items() if name.startswith("_")})
        vars(handler).update(shared)

    def forget(setting: str, **_: Any) -> None:
        if setting not in OF_NO_MIDDLEWARE:
            shared.clear()

    ClientHandler.load_middleware = load_once  # type: ignore[method-assign]
    setting_changed.connect(forget, weak=False)
