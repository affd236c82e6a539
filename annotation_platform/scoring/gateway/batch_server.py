"""The four things that a server's Batch API is asked: take this file, have you got that, how far is it, what came."""

import asyncio
import json
import secrets
from collections.abc import Coroutine, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from annotation_platform.scoring.gateway.endpoint import (
    Address,
    ModelReply,
    ModelRequestError,
    UnavailableError,
    cannot_be_asked,
    in_a_line,
    judge_status,
    make_client,
    read_reply,
    seconds,
    wait_for,
    words_of,
)
from annotation_platform.scoring.gateway.patience import longest_wait
from annotation_platform.scoring.gateway.requests import Question

Result = TypeVar("Result")

METADATA = "annotation_platform_batch"
UNKNOWN = {404, 405, 501}
NO_BATCHES, LOST_BATCH = "scoring.server_without_batches", "scoring.server_lost_batch"


@dataclass(frozen=True)
class BatchStatus:
    """A batch as the server sees it."""

    status: str
    input_file: str
    output_files: tuple[str, ...]
    reason: str


@dataclass(frozen=True)
class BatchLine:
    """What came of one request of a batch: by its signature, with the body that was sent."""

    mark: str
    body: dict[str, Any]
    outcome: ModelReply | Exception


class BatchServer:
    """Every method raises ModelRequestError where the server refuses, and UnavailableError where it may later not.

    Each has its time: as long as any answer is waited for at most, however slowly it comes.
    """

    def __init__(self, address: Address) -> None:
        self._address, self._client = address, make_client(address)
        self._longest = longest_wait(address.timeout)
        self._loop = asyncio.Runner()

    def close(self) -> None:
        self._loop.run(self._client.close())
        self._loop.close()

    @staticmethod
    def new_key() -> str:
        return secrets.token_hex(16)

    def send(self, questions: Sequence[Question[Any]], *, key: str) -> str:
        """Upload the requests and make a batch of them; return the server's name for it.

        When the answer is lost, both may be there all the same: then :meth:`find` comes first.
        """
        lines = (
            json.dumps(
                {
                    "custom_id": question.mark,
                    "method": "POST",
                    "url": "/v1/chat/completions",
                    "body": question.body,
                }
            )
            for question in questions
        )
        content = "\n".join(lines).encode()

        async def send() -> str:
            file = await self._client.files.create(file=(_file_name(key), content), purpose="batch")
            return await self._make(_text_of(file, "id"), key)

        return self._talk(send())

    def find(self, *, key: str, may_make: bool = True) -> str:
        """The server's name for the batch with this key, which is made, if it may be, where only its file is there;
        empty: there is none."""

        async def find() -> str:
            async for batch in self._client.batches.list(limit=100):  # all of them, a hundred at a time
                if (batch.metadata or {}).get(METADATA) == key:
                    return _text_of(batch, "id")
            file_id = await self._file(key) if may_make else ""
            return await self._make(file_id, key) if file_id else ""

        return self._talk(find())

    def look(self, batch_id: str) -> BatchStatus:
        async def look() -> BatchStatus:
            batch = await self._client.batches.retrieve(batch_id)
            status, input_file = _text_of(batch, "status"), _text_of(batch, "input_file_id")
            errors = (batch.errors.data or []) if batch.errors else []
            files = tuple(name for name in (batch.output_file_id, batch.error_file_id) if name)
            said = [str(error.message) for error in errors[:3] if error.message]
            words = [in_a_line(each, self._address.api_key) for each in said]
            return BatchStatus(status, input_file, files, "; ".join(words))

        return self._talk(look(), missing=LOST_BATCH)

    def collect(self, found: BatchStatus) -> list[BatchLine]:
        """What came of the requests of a batch that is over, each once; some may be missing.

        Of several lines about a request the first with a reply counts. Lines about none of ours are passed over.
        """
        if not found.output_files:
            return []
        bodies = {line["custom_id"]: line["body"] for line in self._lines(found.input_file)}
        came: dict[str, BatchLine] = {}
        for name in found.output_files:
            for line in self._lines(name):
                mark = str(line.get("custom_id"))
                if mark in bodies and not (mark in came and isinstance(came[mark].outcome, ModelReply)):
                    came[mark] = BatchLine(mark, bodies[mark], self._outcome(line, bodies[mark]))
        return list(came.values())

    def _outcome(self, line: dict[str, Any], body: dict[str, Any]) -> ModelReply | Exception:
        response = line.get("response")
        response = response if isinstance(response, dict) else {}
        status, content = response.get("status_code"), json.dumps(response.get("body"))
        if line.get("error") or not isinstance(status, int):
            said = line.get("error") or ""
            said = (said.get("message") or "") if isinstance(said, dict) else said
            words = in_a_line(str(said), self._address.api_key)
            return UnavailableError("scoring.server_without_answer", words=words)
        try:
            return (
                read_reply(content, self._address.api_key)
                if status == 200
                else judge_status(self._address, body, status, content)
            )
        except UnavailableError as error:
            return error

    def _lines(self, name: str) -> Iterator[dict[str, Any]]:
        """The objects in a file; a line that is none holds nobody's reply, and does not keep the others back.

        Raises
        ------
        UnavailableError
            None of its lines is one.
        """
        content = self._talk(self._client.files.content(name), missing=LOST_BATCH).text
        lines = [line for line in content.split("\n") if line.strip()]
        objects = [found for line in lines if isinstance(found := _read(line), dict)]
        if lines and not objects:
            raise UnavailableError("scoring.server_file_unread")
        return iter(objects)

    async def _make(self, file_id: str, key: str) -> str:
        batch = await self._client.batches.create(
            input_file_id=file_id,
            endpoint="/v1/chat/completions",
            completion_window="24h",
            metadata={METADATA: key},
        )
        return _text_of(batch, "id")

    async def _file(self, key: str) -> str:
        from openai import NotFoundError

        try:
            async for file in self._client.files.list(purpose="batch"):
                if file.filename == _file_name(key):
                    return file.id
        except NotFoundError:
            pass  # this server does not list its files: the requests are sent again, and nothing is paid for that
        return ""

    def _talk(self, call: Coroutine[Any, Any, Result], *, missing: str = NO_BATCHES) -> Result:
        """What a call gives; ``missing`` is the code of what is raised where the server knows nothing of the kind."""
        from openai import APIConnectionError, APIStatusError, APITimeoutError, OpenAIError

        try:
            return self._loop.run(wait_for(call, lambda: self._longest))
        except APITimeoutError:
            raise UnavailableError("scoring.server_silent", seconds=self._address.timeout) from None
        except APIConnectionError as error:
            raise UnavailableError("scoring.server_not_reached", why=error.__cause__ or error) from None
        except APIStatusError as error:
            if error.status_code in UNKNOWN:
                raise ModelRequestError(
                    missing,
                    status=error.status_code,
                    server=self._address.base_url,
                    key=self._address.key_source,
                    why=words_of(error.response.text, self._address.api_key),
                ) from None
            retry_after = seconds(error.response.headers.get("retry-after"))
            what = {"model": "batches"}
            raise judge_status(self._address, what, error.status_code, error.response.text, retry_after) from None
        except OpenAIError as error:
            raise ModelRequestError(NO_BATCHES, server=self._address.base_url, why=error) from None
        except (json.JSONDecodeError, AttributeError, TypeError):
            raise UnavailableError("scoring.server_speaks_no_batches") from None
        except ValueError as error:  # a key or a host name that cannot be sent
            raise cannot_be_asked(self._address, error) from error


def _text_of(told: Any, name: str) -> str:
    """What the server says under this name; it is not trusted to say anything."""
    value = getattr(told, name, None)
    if not isinstance(value, str) or not value:
        raise UnavailableError("scoring.server_speaks_no_batches")
    return value


def _read(line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _file_name(key: str) -> str:
    return f"{key}.jsonl"
