"""Writes the files beside it, by running each tool once on three questions of our own.

In an environment of its own, on Python 3.11 with these:

    pip install langfuse==5.0.4 langsmith==0.15.1 arize-phoenix==20.26.1 arize-phoenix-client==3.5.0 pyarrow pandas \
        openinference-instrumentation==0.1.72 opentelemetry-sdk==1.45.2 opentelemetry-exporter-otlp-json-file==0.66b1 \
        opentelemetry-exporter-otlp-proto-http opentelemetry-instrumentation-openai-v2==2.3b0 "wrapt<2" \
        opentelemetry-util-genai==1.3b0 openai
    python write.py [otel] [phoenix] [langfuse] [langsmith]

What is behind a key or a subscription is not run: see the docstring of each function for what stands in for it.
"""

import json
import os
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
NOTES = {"tides": "The moon pulls at the sea.", "ice": "Ice takes more room than water.", "salt": "Rivers carry salt."}
ASKED = {
    "Why does ice float?": ("ice", "Because it is lighter than water."),
    "What makes the tide?": ("tides", "The moon does."),
}


class Served:
    """A server on a free port; ``answer`` gives (status, body) for a method, a path and what was sent."""

    def __init__(self, answer: Any) -> None:
        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_: Any) -> None: ...

            def _do(self) -> None:
                sent = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                status, said = answer(self.command, self.path.partition("?")[0], sent)
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                content = json.dumps(said).encode()
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = do_PATCH = _do

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"


def model_server() -> Served:
    """Answers as OpenAI's chat does."""

    def answer(method: str, path: str, sent: bytes) -> tuple[int, Any]:
        asked = json.loads(sent)["messages"][-1]["content"]
        said = next((said for question, (_, said) in ASKED.items() if question in asked), "I do not know.")
        return 200, {
            **{"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "alder-1"},
            "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": said}}],
            "usage": {"prompt_tokens": 9, "completion_tokens": 6, "total_tokens": 15},
        }

    return Served(answer)


def otel(style: str) -> None:
    """GenAI's conventions: ``older`` by the instrumentation of OpenAI's client, with an event for each message as log
    records; ``newer`` by OpenTelemetry's helper for instrumentations, with messages as attributes. Written by the SDK's
    own exporter of OTLP as JSON to a file."""
    os.environ["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"] = "true" if style == "older" else "span_only"
    from opentelemetry.exporter.otlp.json.file._log_exporter import FileLogExporter
    from opentelemetry.exporter.otlp.json.file.trace_exporter import FileSpanExporter
    from opentelemetry.sdk._logs import LoggerProvider
    from opentelemetry.sdk._logs.export import SimpleLogRecordProcessor
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor

    path = HERE / f"otel_{style}.jsonl"
    path.unlink(missing_ok=True)
    spans, logs = TracerProvider(), LoggerProvider()
    spans.add_span_processor(SimpleSpanProcessor(FileSpanExporter(str(path))))
    logs.add_log_record_processor(SimpleLogRecordProcessor(FileLogExporter(str(path))))
    ask = _by_instrumentation(spans, logs) if style == "older" else _by_helper(spans, logs)
    for question, (_, said) in ASKED.items():
        with spans.get_tracer("app").start_as_current_span("answer"):
            ask(question, said)
    spans.shutdown()
    logs.shutdown()


def _by_instrumentation(spans: Any, logs: Any) -> Any:
    import openai
    from opentelemetry.instrumentation.openai_v2 import OpenAIInstrumentor

    OpenAIInstrumentor().instrument(tracer_provider=spans, logger_provider=logs)
    client = openai.OpenAI(base_url=f"{model_server().url}/v1", api_key="none")

    def ask(question: str, said: str) -> None:
        messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": question}]
        client.chat.completions.create(model="alder", messages=messages)

    return ask


def _by_helper(spans: Any, logs: Any) -> Any:
    from opentelemetry.util.genai.handler import TelemetryHandler
    from opentelemetry.util.genai.types import InputMessage, OutputMessage, TextPart

    handler = TelemetryHandler(tracer_provider=spans, logger_provider=logs, instrumentation_scope_name="app")

    def ask(question: str, said: str) -> None:
        with handler.inference("openai", request_model="alder") as asked:
            asked.system_instruction = [TextPart("Be brief.")]
            asked.input_messages = [InputMessage("user", [TextPart(question)])]
            asked.output_messages = [OutputMessage("assistant", [TextPart(said)], "stop")]
            asked.response_model_name = "alder-1"

    return ask


def phoenix() -> None:
    """A Phoenix of its own, traced by OpenInference's decorators over OTLP, and read back by its client."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    folder = Path("/tmp/phoenix-for-fixtures")
    there = os.environ | {
        **{"PHOENIX_PORT": str(port), "PHOENIX_WORKING_DIR": str(folder), "PHOENIX_HOST": "127.0.0.1"},
        **{"PHOENIX_GRPC_PORT": str(port + 1), "PHOENIX_TELEMETRY_ENABLED": "false"},
    }
    server = subprocess.Popen([sys.executable, "-m", "phoenix.server.main", "serve"], env=there)
    url = f"http://127.0.0.1:{port}"
    try:
        _wait_for(f"{url}/healthz")
        _trace_for_phoenix(url)
        _read_from_phoenix(url)
        if "--keep" in sys.argv:
            print(url)
            time.sleep(600)
    finally:
        server.terminate()
        server.wait()


def _wait_for(url: str) -> None:
    for _ in range(240):
        try:
            with urllib.request.urlopen(url):
                return
        except OSError:
            time.sleep(0.5)
    raise SystemExit(f"{url} does not answer")


def _trace_for_phoenix(url: str) -> None:
    from openinference.instrumentation import (
        TracerProvider,
        get_llm_input_message_attributes,
        get_llm_output_message_attributes,
    )
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor

    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(OTLPSpanExporter(f"{url}/v1/traces")))
    tracer = provider.get_tracer("app")
    for question, (note, said) in ASKED.items():
        with tracer.start_as_current_span("answer", openinference_span_kind="chain") as chain:
            chain.set_input({"question": question})
            with tracer.start_as_current_span("look up", openinference_span_kind="retriever") as found:
                found.set_input(question)
                for place, key in enumerate((note, "salt")):
                    found.set_attribute(f"retrieval.documents.{place}.document.content", NOTES[key])
                    found.set_attribute(f"retrieval.documents.{place}.document.id", key)
                    found.set_attribute(f"retrieval.documents.{place}.document.score", 0.9 - place / 2)
            with tracer.start_as_current_span("say", openinference_span_kind="llm") as model:
                model.set_attribute("llm.model_name", "alder-1")
                messages = [
                    {"role": "system", "content": f"Use this: {NOTES[note]}"},
                    {"role": "user", "content": question},
                ]
                model.set_attributes(get_llm_input_message_attributes(messages))
                model.set_attributes(get_llm_output_message_attributes([{"role": "assistant", "content": said}]))
                model.set_output(said)
            chain.set_attribute("metadata", json.dumps({"variant": "b"}))
            chain.set_output(said)
    provider.shutdown()
    time.sleep(3)


def _read_from_phoenix(url: str) -> None:
    from phoenix.client import Client

    client = Client(base_url=url)
    frame = client.spans.get_spans_dataframe(project_identifier="default")
    frame.to_parquet(HERE / "phoenix_spans.parquet")
    spans = client.spans.get_spans(project_identifier="default")
    with (HERE / "phoenix_spans.jsonl").open("w") as file:
        for span in spans:
            file.write(json.dumps(span, default=str) + "\n")


def langfuse() -> None:
    """Langfuse's SDK, whose own spans are also given to OpenTelemetry's exporter of OTLP as JSON: ``langfuse_otel``.

    Its server is not run. ``langfuse_observations.json`` is a page of ``GET /api/public/v2/observations`` made with the
    types that the SDK reads such a page with, and ``langfuse_items.json`` and ``langfuse_run.json`` likewise.
    """
    from langfuse import Langfuse
    from opentelemetry.exporter.otlp.json.file import FileSpanExporter
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor

    path = HERE / "langfuse_otel.jsonl"
    path.unlink(missing_ok=True)
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(FileSpanExporter(str(path))))
    host = Served(lambda method, path, sent: (200, {})).url
    client = Langfuse(public_key="pk-lf-1", secret_key="sk-lf-1", base_url=host, tracer_provider=provider)
    seen = []
    for question, (note, said) in ASKED.items():
        with client.start_as_current_observation(as_type="span", name="answer", input={"question": question}) as span:
            with client.start_as_current_observation(as_type="retriever", name="look up", input=question) as found:
                found.update(output=[{"id": note, "content": NOTES[note]}])
            messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": question}]
            with client.start_as_current_observation(
                as_type="generation", name="say", model="alder-1", input=messages
            ) as model:
                model.update(output={"role": "assistant", "content": said})
            span.update(output={"answer": said}, metadata={"variant": "b"})
            seen.append((question, note, said, messages, span.trace_id, (span.id, found.id, model.id)))
    client.flush()
    provider.shutdown()
    _as_the_api_gives_it(seen)


def _as_the_api_gives_it(seen: list[Any]) -> None:
    from langfuse.api.commons.types import DatasetItem, ObservationV2

    at = datetime(2026, 11, 25, tzinfo=UTC)
    observations, items, run = [], [], []
    for number, (question, note, said, messages, trace, (chain, found, model)) in enumerate(seen):
        common = {"trace_id": trace, "start_time": at, "project_id": "p1", "trace_name": "answer", "tags": ["tide"]}
        steps = [
            {"id": chain, "type": "SPAN", "input": {"question": question}, "output": {"answer": said}},
            {"id": found, "type": "RETRIEVER", "output": [{"id": note, "content": NOTES[note]}]},
            {"id": model, "type": "GENERATION", "model": "alder-1", "input": messages, "output": said},
        ]
        for step in steps:
            parent = {} if step["id"] == chain else {"parent_observation_id": chain}
            observations.append(ObservationV2(**common, **parent, **step, metadata={"variant": "b"}))
        named = {"id": f"item-{number}", "dataset_id": "d1", "dataset_name": "water", "status": "ACTIVE"}
        items.append(
            DatasetItem(
                **named,
                input={"question": question},
                expected_output=said.upper(),
                metadata={},
                media_references=[],
                created_at=at,
                updated_at=at,
            )
        )
        run.append({"id": f"r{number}", "datasetItemId": f"item-{number}", "traceId": trace, "observationId": None})
    for name, rows in (("observations", observations), ("items", items)):
        data = {"data": [json.loads(row.json(by_alias=True, exclude_none=True)) for row in rows], "meta": {}}
        (HERE / f"langfuse_{name}.json").write_text(json.dumps(data, indent=1) + "\n")
    whole = {"id": "run-1", "name": "birch prompt", "datasetId": "d1", "datasetName": "water", "datasetRunItems": run}
    (HERE / "langfuse_run.json").write_text(json.dumps(whole, indent=1) + "\n")


def langsmith() -> None:
    """LangSmith's SDK posts runs to a server here, which gives them back as ``POST /runs/query`` does; the lines are
    the SDK's own ``Run`` as JSON. The examples are its ``Example``."""
    kept: dict[str, dict[str, Any]] = {}

    def answer(method: str, path: str, sent: bytes) -> tuple[int, Any]:
        if path == "/info":
            return 200, {"version": "0.13.0", "batch_ingest_config": {"use_multipart_endpoint": False}}
        if path == "/runs/batch":
            for part in ("post", "patch"):
                for run in json.loads(sent).get(part) or []:
                    kept[run["id"]] = kept.get(run["id"], {}) | run
            return 202, {}
        if method in ("POST", "PATCH") and path.startswith("/runs") and sent:
            run = json.loads(sent)
            key = run.get("id") or path.rpartition("/")[2]
            kept[key] = kept.get(key, {}) | run
            return 202, {}
        return 200, {}

    from uuid import UUID, uuid5

    from langsmith import Client
    from langsmith.run_trees import RunTree
    from langsmith.schemas import Example, Run

    client = Client(api_url=Served(answer).url, api_key="lsv2_pt_1", auto_batch_tracing=False)
    session, names = UUID(int=7), []
    for question, (note, said) in ASKED.items():
        example = uuid5(session, question)
        chain = RunTree(
            name="answer",
            run_type="chain",
            inputs={"question": question},
            ls_client=client,
            reference_example_id=example,
        )
        found = chain.create_child("look up", run_type="retriever", inputs={"query": question})
        found.end(
            outputs={"documents": [{"page_content": NOTES[note], "metadata": {"source": note}, "type": "Document"}]}
        )
        metadata = {"metadata": {"ls_model_name": "alder-1", "variant": "b"}}
        messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": question}]
        model = chain.create_child("say", run_type="llm", inputs={"messages": messages}, extra=metadata)
        model.end(outputs={"choices": [{"message": {"role": "assistant", "content": said}}]})
        chain.end(outputs={"output": said})
        for run in (chain, found, model):
            run.post()
            run.patch()
        names.append((example, question, said))
    client.flush()
    time.sleep(1)
    with (HERE / "langsmith_runs.jsonl").open("w") as file:
        for run in kept.values():
            stats = {"helpful": {"n": 2, "avg": 0.5}} if not run.get("parent_run_id") else None
            whole = Run(**{**run, "session_id": session, "feedback_stats": stats})
            file.write(whole.json(exclude_none=True) + "\n")
    with (HERE / "langsmith_examples.jsonl").open("w") as file:
        for example, question, said in names:
            row = Example(
                id=example,
                dataset_id=session,
                inputs={"question": question},
                outputs={"output": said.upper()},
                created_at=datetime(2026, 11, 25, tzinfo=UTC),
            )
            file.write(row.json(exclude_none=True) + "\n")


if __name__ == "__main__":
    wanted = [each for each in sys.argv[1:] if not each.startswith("-")] or ["otel", "phoenix", "langfuse", "langsmith"]
    for name in wanted:
        if name == "otel":
            for style in ("older", "newer"):
                subprocess.run([sys.executable, __file__, f"otel_{style}"], check=True)
        elif name.startswith("otel_"):
            otel(name.removeprefix("otel_"))
        else:
            globals()[name]()
