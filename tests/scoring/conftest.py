from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from tests.servers.model_server import KEY, ModelServer

if TYPE_CHECKING:  # models cannot be imported before Django is ready
    from annotation_platform.scoring.methods.ebr.parameters import ModelParameters


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture
def asks(server: ModelServer, settings: Any) -> Callable[..., dict[str, Any]]:
    """What a run over the local server is started with, small and quick unless told otherwise."""
    settings.OPENAI_API_KEY, settings.OPENAI_BASE_URL = KEY, server.url

    def asks(**changes: Any) -> dict[str, Any]:
        return {"model": "tiny", "base_url": server.url, "timeout": 5, "retries": 2, "concurrency": 4} | changes

    return asks


@pytest.fixture
def parameters(asks: Callable[..., dict[str, Any]]) -> Callable[..., "ModelParameters"]:
    from annotation_platform.core.methods.ebr.prompts import built_in
    from annotation_platform.scoring.methods.ebr.parameters import ModelParameters, PromptTemplate

    def parameters(**changes: Any) -> ModelParameters:
        return ModelParameters(template=PromptTemplate.of(built_in()), **asks(**changes))

    return parameters
