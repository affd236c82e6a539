"""Traces that other tools recorded come as questions, answers and documents, and know the way back.

The files in ``written/traces/`` were made by ``write.py`` beside them, which says how and by which versions: Phoenix's
were read back from a running Phoenix, LangSmith's and OpenTelemetry's are their SDKs' own. Of Langfuse, whose server
needs more than a test has, the pages of its API are made with the types of its SDK. What tables and downloads look like
besides is written here, in their documented form.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from annotation_platform.core.schemes import preset
from annotation_platform.corpus.importers import FORMATS, Options, guess_format, open_files, read_study
from annotation_platform.corpus.importers.staged import StagedAnswer
from tests.corpus.reading import ReadStudy, listed, read_files
from tests.corpus.test_published_formats import reasons_of

WRITTEN = Path(__file__).parent / "written" / "traces"
SCHEME = {
    "key": "faith",
    "title": "Faithful?",
    "shown": ["question", "documents", "answer"],
    "aspects": [{"key": "ok", "kind": "yes_no", "title": "Does it follow from the documents?"}],
}
ICE = ("Why does ice float?", "Because it is lighter than water.")
TIDE = ("What makes the tide?", "The moon does.")
OF_FORMAT = {
    "langfuse": ["langfuse_observations.json", "langfuse_items.json", "langfuse_run.json"],
    "phoenix": ["phoenix_spans.jsonl", "phoenix_spans.parquet"],
    "langsmith": ["langsmith_runs.jsonl", "langsmith_examples.jsonl"],
    "otel": ["langfuse_otel.jsonl", "otel_newer.jsonl", "otel_older.jsonl"],
}


def read(format: str, *names: str | Path, scheme: Any = SCHEME, **options: Any) -> ReadStudy:
    return read_files(format, *(WRITTEN / name for name in names), definition=scheme, **options)


def staged(format: str, *names: str | Path) -> list[StagedAnswer]:
    """The answers as they wait to be stored, with their traces."""
    chosen = FORMATS[format]
    with read_study(chosen, open_files(chosen, [WRITTEN / name for name in names]), Options(SCHEME)) as study:
        study.rows.execute("UPDATE question SET pk = id")
        return list(study.answers())


def metrics_of(answer: StagedAnswer) -> dict[str, dict[str, Any]]:
    return json.loads(answer.metrics or "{}")  # type: ignore[no-any-return]


def exchanges(study: ReadStudy) -> set[tuple[str, str]]:
    return {(question.text, answer.text) for question in study.questions for answer in question.answers.values()}


def write(path: Path, *records: Any, is_list: bool = False) -> Path:
    lines = json.dumps(records) if is_list else "\n".join(map(json.dumps, records))
    path.write_text(lines)
    return path


@pytest.mark.parametrize(
    ("format", "name"), [(format, name) for format, names in OF_FORMAT.items() for name in names], ids=lambda each: each
)
def test_a_file_is_known_by_its_beginning(format: str, name: str) -> None:
    assert guess_format(WRITTEN / name, name).key == format


@pytest.mark.parametrize(
    ("format", "name"),
    [
        *[("langfuse", "langfuse_observations.json"), ("langsmith", "langsmith_runs.jsonl")],
        *[("phoenix", name) for name in OF_FORMAT["phoenix"]],
        *[("otel", name) for name in OF_FORMAT["otel"]],
    ],
    ids=lambda each: each,
)
def test_each_trace_is_a_question_with_the_answer_of_its_model(format: str, name: str) -> None:
    study = read(format, name)
    assert exchanges(study) == {ICE, TIDE}
    assert {system for question in study.questions for system in question.answers} == {"alder-1"}
    assert not study.judgments


@pytest.mark.parametrize("name", ["langfuse_observations.json", "langfuse_otel.jsonl"])
def test_what_was_retrieved_is_a_document(name: str) -> None:
    study = read(guess_format(WRITTEN / name, name).key, name)
    texts = {article.external_id: (article.title, list(article.sentences)) for article in study.articles}
    (ice,) = [question for question in study.questions if question.text == ICE[0]]
    assert [texts[name] for name in ice.documents] == [("ice", ["Ice takes more room than water."])]


def test_documents_stand_in_the_order_of_their_rank() -> None:
    study = read("phoenix", "phoenix_spans.parquet")
    titles = {article.external_id: article.title for article in study.articles}
    assert [[titles[name] for name in question.documents] for question in study.questions] == [
        ["tides", "salt"],
        ["ice", "salt"],
    ]


def test_a_context_can_be_the_article() -> None:
    scheme = SCHEME | {"shown": ["article", "question", "answer"]}
    study = read("phoenix", "phoenix_spans.jsonl", scheme=scheme)
    texts = {" ".join(article.sentences) for article in study.articles if article.questions}
    assert texts == {
        "Ice takes more room than water. Rivers carry salt.",
        "The moon pulls at the sea. Rivers carry salt.",
    }


def test_a_run_over_a_data_set_is_a_system_and_its_items_are_questions() -> None:
    study = read("langfuse", *OF_FORMAT["langfuse"], scheme=preset("equivalence"))
    found = {question.external_id: question for question in study.questions}
    assert [*found] == ["item-0", "item-1"]
    assert [*found["item-0"].answers] == ["birch prompt"]
    assert found["item-0"].reference_answers == [ICE[1].upper()]


def test_examples_of_langsmith_bring_the_references() -> None:
    study = read("langsmith", *OF_FORMAT["langsmith"], scheme=preset("equivalence"))
    assert {tuple(question.reference_answers) for question in study.questions} == {
        (ICE[1].upper(),),
        (TIDE[1].upper(),),
    }


def test_the_system_can_be_another_field() -> None:
    study = read("langsmith", "langsmith_runs.jsonl", columns={"system": "", "metadata.variant": "system"})
    assert [*study.questions[0].answers] == ["b"]


def test_answers_keep_the_names_of_their_traces_and_the_scores_that_they_had() -> None:
    runs = [json.loads(line) for line in (WRITTEN / "langsmith_runs.jsonl").read_text().splitlines()]
    root = runs[0]
    answer = staged("langsmith", "langsmith_runs.jsonl")[0]
    assert answer.traced == ("langsmith", root["trace_id"], root["id"], root["session_id"])
    assert metrics_of(answer) == {"langsmith": {"helpful": 0.5}}
    for format, name in (("phoenix", "phoenix_spans.jsonl"), ("otel", "otel_newer.jsonl")):
        traced = staged(format, name)[0].traced
        assert traced
        assert (traced.tool, len(traced.trace), len(traced.span)) == (format, 32, 16)


# --- Documented forms that only a server writes -------------------------------------------------------------


def of_langfuse(key: str, **more: Any) -> dict[str, Any]:
    return {"id": key, "timestamp": "2026-11-25T10:00:00Z", "name": "rag", "sessionId": None, "htmlPath": "/t"} | more


TWO = [of_langfuse("t1", input="Why?", output="So."), of_langfuse("t2", input="How?", output="Thus.")]


def test_a_trace_of_langfuse_with_its_observations_and_scores_is_one_answer(tmp_path: Path) -> None:
    observation = {"id": "o1", "type": "GENERATION", "model": "alder", "input": "…", "output": "…", "startTime": "1"}
    scores = [{"name": "toxicity", "value": 0.25, "dataType": "NUMERIC"}]
    trace = of_langfuse("t1", input="Why?", output="So.", observations=[observation], scores=scores, metadata={"v": 1})
    (answer,) = staged("langfuse", write(tmp_path / "traces.json", trace, is_list=True))
    assert (answer.text, answer.system) == ("So.", "alder")
    assert answer.traced == ("langfuse", "t1", "", "")  # the trace as a whole
    assert metrics_of(answer) == {"langfuse": {"toxicity": 0.25}}


def test_a_download_of_one_trace_over_many_lines_is_read(tmp_path: Path) -> None:
    path = tmp_path / "trace-t1.json"
    observation = {"id": "o1", "traceId": "t1", "type": "GENERATION", "model": "alder", "output": {"role": "assistant"}}
    whole = {"trace": of_langfuse("t1", input="Why?", output="So."), "observations": [observation]}
    path.write_text(json.dumps(whole, indent=2))
    assert exchanges(read("langfuse", path)) == {("Why?", "So.")}


def test_the_table_of_traces_has_scores_as_columns(tmp_path: Path) -> None:
    path = tmp_path / "traces.csv"
    path.write_text(
        "id,timestamp,name,sessionId,input,output,tags,helpful\n"
        't1,2026-11-25,rag,,"{""question"": ""Why?""}","{""answer"": ""So.""}",[],"[1, 0]"\n'
    )
    assert guess_format(path, path.name).key == "langfuse"
    (answer,) = staged("langfuse", path)
    assert (answer.text, metrics_of(answer)) == ("So.", {"langfuse": {"helpful": 0.5}})


def span(key: str, parent: str = "", events: Any = (), **attributes: Any) -> dict[str, Any]:
    def value(given: Any) -> dict[str, Any]:
        return {"stringValue": given} if isinstance(given, str) else {"intValue": str(given)}

    def listed_as(given: dict[str, Any]) -> list[dict[str, Any]]:
        return [{"key": name.replace("__", "."), "value": value(each)} for name, each in given.items()]

    said = [{"name": name, "timeUnixNano": "1", "attributes": listed_as(about)} for name, about in events]
    return {
        **{"traceId": "ab" * 16, "spanId": key * 16, "parentSpanId": parent * 16, "name": key},
        **{"startTimeUnixNano": key, "attributes": listed_as(attributes), "events": said},
    }


def otlp(path: Path, *spans: dict[str, Any]) -> Path:
    return write(path, {"resourceSpans": [{"scopeSpans": [{"spans": list(spans)}]}]})


def test_messages_as_events_of_the_span_are_read(tmp_path: Path) -> None:
    events = [
        ("gen_ai.user.message", {"content": "Why?"}),
        ("gen_ai.choice", {"index": 0, "message": '{"role": "assistant", "content": "So."}'}),
        (
            "gen_ai.evaluation.result",
            {"gen_ai__evaluation__name": "relevance", "gen_ai__evaluation__score__label": "good"},
        ),
    ]
    path = otlp(tmp_path / "a.json", span("1", events=events, gen_ai__request__model="alder", gen_ai__system="x"))
    (answer,) = staged("otel", path)
    assert (answer.text, answer.system, metrics_of(answer)) == ("So.", "alder", {"otel": {"relevance": "good"}})


def test_numbered_attributes_are_lists_and_a_reranking_takes_the_place_of_what_was_found(tmp_path: Path) -> None:
    found = {f"retrieval__documents__{n}__document__content": text for n, text in enumerate(("One.", "Two.", "Three."))}
    ranked = {"reranker__output_documents__0__document__content": "Two."}
    asked = {
        **{"llm__input_messages__0__message__role": "user", "llm__input_messages__0__message__content": "Why?"},
        **{"llm__output_messages__0__message__role": "assistant", "llm__model_name": "alder"},
        "llm__output_messages__0__message__content": "So.",
    }
    path = otlp(
        tmp_path / "a.jsonl",
        span("1", openinference__span__kind="CHAIN", input__value="Why?", output__value="So."),
        span("2", "1", openinference__span__kind="RETRIEVER", **found),
        span("3", "1", openinference__span__kind="RERANKER", **ranked),
        span("4", "1", openinference__span__kind="LLM", **asked),
        span("5", "1", openinference__span__kind="TOOL", input__value="{}"),
    )
    study = read("otel", path)
    (question,) = study.questions
    texts = {article.external_id: list(article.sentences) for article in study.articles}
    assert [texts[name] for name in question.documents] == [["Two."]]
    left_out = {str(what): count for what, count in study.counts.left_out.items()}
    assert left_out == {"steps of traces of the kind “tool”": 1}


def test_langchains_messages_are_turns(tmp_path: Path) -> None:
    def said(kind: str, text: str) -> dict[str, Any]:
        return {"lc": 1, "type": "constructor", "id": ["langchain", kind], "kwargs": {"content": text}}

    talk = [
        said("SystemMessage", "Be kind."),
        said("HumanMessage", "Why?"),
        said("AIMessage", "So."),
        said("HumanMessage", "And?"),
    ]
    run = {
        **{"id": "r1", "trace_id": "r1", "run_type": "llm", "dotted_order": "1", "name": "ChatModel"},
        "inputs": {"messages": [talk]},
        "outputs": {"generations": [[{"text": "Also.", "message": said("AIMessage", "Also.")}]]},
        "extra": {"invocation_params": {"model": "alder"}},
    }
    (question,) = read("langsmith", write(tmp_path / "runs.jsonl", run)).questions
    assert question.text == "User: Why?\n\nAssistant: So.\n\nUser: And?"
    assert [turn["role"] for turn in question.turns] == ["user", "assistant", "user"]
    assert question.answers["alder"].text == "Also."


def test_what_was_asked_twice_has_two_answers(tmp_path: Path) -> None:
    runs = [
        {
            **{"id": key, "trace_id": key, "run_type": "chain", "dotted_order": key, "reference_example_id": "e1"},
            **{"inputs": {"question": "Why?"}, "outputs": {"output": key}, "session_name": "first prompt"},
        }
        for key in ("r1", "r2")
    ]
    (question,) = read("langsmith", write(tmp_path / "runs.jsonl", *runs)).questions
    assert {system: answer.text for system, answer in question.answers.items()} == {
        "first prompt": "r1",
        "first prompt, answer 2": "r2",
    }


def test_parts_of_a_document_that_differ_between_traces_are_documents_of_their_own(tmp_path: Path) -> None:
    traces = [
        of_langfuse(key, input={"question": "Why?", "context": [{"id": "paper", "text": text}]}, output="So.")
        for key, text in (("t1", "One part."), ("t2", "Another part."))
    ]
    study = read("langfuse", write(tmp_path / "traces.jsonl", *traces))
    assert sorted(list(article.sentences) for article in study.articles if article.title == "paper") == [
        ["Another part."],
        ["One part."],
    ]


def test_a_trace_without_an_answer_or_with_an_error_is_counted(tmp_path: Path) -> None:
    traces = [of_langfuse("t1", input="Why?", output="So."), of_langfuse("t2", input="Why?", output=None)]
    study = read("langfuse", write(tmp_path / "traces.jsonl", *traces))
    assert {str(what): count for what, count in study.counts.left_out.items()} == {"outputs without an answer": 1}


SILENT = {"role": "assistant", "content": None, "id": "msg_1"}


@pytest.mark.parametrize(
    "output",
    [
        {"output": ""},
        {"output": None},
        '{"output": " "}',
        {"answer": None, "sources": []},
        {"generations": [[{"text": ""}]]},
        [None],
        [SILENT],
        SILENT,
        {"role": "assistant"},
        {"id": "chatcmpl-1", "model": "alder", "choices": [{"index": 0, "message": SILENT}]},
    ],
    ids=str,
)
def test_an_answer_in_which_nothing_is_said_is_none(tmp_path: Path, output: Any) -> None:
    answered = of_langfuse("t1", input="Why?", output="So.")
    study = read("langfuse", write(tmp_path / "a.jsonl", answered, of_langfuse("t2", input="How?", output=output)))
    assert exchanges(study) == {("Why?", "So.")}
    assert {str(what): count for what, count in study.counts.left_out.items()} == {"outputs without an answer": 1}
    run = {"trace_id": "r1", "run_type": "chain", "inputs": {"question": "Why?"}}
    chain = run | {"id": "r1", "dotted_order": "1", "outputs": output}
    model = run | {"id": "r2", "parent_run_id": "r1", "dotted_order": "1.2", "run_type": "llm", "outputs": "So."}
    assert exchanges(read("langsmith", write(tmp_path / "runs.jsonl", chain, model))) == {("Why?", "So.")}


def test_an_input_in_which_nothing_is_asked_is_no_question(tmp_path: Path) -> None:
    step = {"id": "o1", "type": "GENERATION", "model": "alder", "input": [1, 2], "output": "So.", "startTime": "1"}
    called = of_langfuse("t1", input={"args": [], "kwargs": {}}, output="So.", observations=[step])
    path = write(tmp_path / "a.json", called, is_list=True)
    assert exchanges(read("langfuse", path)) == {("[\n  1,\n  2\n]", "So.")}


def test_an_example_in_which_nothing_is_expected_has_no_reference(tmp_path: Path) -> None:
    run = {"id": "r1", "trace_id": "r1", "run_type": "chain", "dotted_order": "1", "reference_example_id": "e1"}
    run |= {"inputs": {"question": "Why?"}, "outputs": "So."}
    example = {"id": "e1", "dataset_id": "d1", "inputs": {"question": "Why?"}, "outputs": {"answer": None}}
    scheme = preset("equivalence")
    files = [write(tmp_path / "runs.jsonl", run), write(tmp_path / "examples.jsonl", example)]
    study = read("langsmith", *files, scheme=scheme)
    assert [question.reference_answers for question in study.questions] == [[]]


@pytest.mark.parametrize(
    ("output", "text"),
    [
        ({"label": "yes", "why": "It is so."}, '{\n  "label": "yes",\n  "why": "It is so."\n}'),
        ('{"label": "yes", "why": "It is so."}', '{"label": "yes", "why": "It is so."}'),
        ([1, 2], "[\n  1,\n  2\n]"),
        (42, "42"),
        ({"answer": 3.5}, "3.5"),
        (False, "false"),
    ],
)
def test_an_answer_that_is_no_text_comes_as_it_is(tmp_path: Path, output: Any, text: str) -> None:
    study = read("langfuse", write(tmp_path / "traces.jsonl", of_langfuse("t1", input="Why?", output=output)))
    assert (exchanges(study), study.counts.left_out) == ({("Why?", text)}, {})
    path = otlp(tmp_path / "a.json", span("1", input__value="Why?", output__value=text))
    assert exchanges(read("otel", path)) == {("Why?", text)}
    run = {"id": "r1", "trace_id": "r1", "run_type": "chain", "dotted_order": "1", "inputs": {"question": "Why?"}}
    assert exchanges(read("langsmith", write(tmp_path / "runs.jsonl", run | {"outputs": output}))) == {("Why?", text)}


def test_variables_of_a_prompt_are_a_question_where_nothing_else_is(tmp_path: Path) -> None:
    variables = {"topic": "ice", "style": "short"}
    traces = [
        of_langfuse("t1", input=variables, output="It floats."),
        of_langfuse(
            "t2",
            input=variables,
            output={"steps": 2, "done": True},
            observations=[
                {"id": "o1", "type": "GENERATION", "model": "alder", "input": "Write of ice.", "output": "Ice floats."}
            ],
        ),
        of_langfuse("t3", input={"args": ["Why?"], "kwargs": {}}, output="So."),
        of_langfuse("t4", input={"args": [], "kwargs": {"query": "How?"}}, output="Thus."),
        of_langfuse("t5", input={"args": ["Where?"], "kwargs": {"model": "alder"}}, output="Here."),
        of_langfuse("t6", input={"args": [], "kwargs": {"topic": "Ice"}}, output="Cold."),
        of_langfuse("t7", input={"args": [3], "kwargs": {"topic": "Snow"}}, output="White."),
    ]
    assert exchanges(read("langfuse", write(tmp_path / "traces.jsonl", *traces))) == {
        (json.dumps(variables, indent=2), "It floats."),
        ("Write of ice.", "Ice floats."),  # what can be read goes before what cannot
        ("Why?", "So."),
        ("How?", "Thus."),
        ("Where?", "Here."),
        ("Ice", "Cold."),
        ("Snow", "White."),
    }


def test_what_was_looked_up_is_no_answer(tmp_path: Path) -> None:
    found = {"documents": [{"content": "One."}]}
    study = read("langfuse", write(tmp_path / "t.jsonl", *TWO, of_langfuse("t3", input="Why?", output=found)))
    assert {str(what): count for what, count in study.counts.left_out.items()} == {"outputs without an answer": 1}


def test_a_step_that_is_told_twice_says_nothing_twice(tmp_path: Path) -> None:
    asked = {"llm__input_messages__0__message__role": "user", "llm__input_messages__0__message__content": "Why?"}
    told = {"llm__output_messages__0__message__role": "assistant", "llm__output_messages__0__message__content": "So."}
    once = span("1", openinference__span__kind="LLM", **asked, **told)
    assert exchanges(read("otel", otlp(tmp_path / "a.json", once, once))) == {("Why?", "So.")}
    turns = {"input": [{"role": "user", "content": "Why?"}], "output": {"role": "assistant", "content": "So."}}
    observation = {"id": "o1", "type": "GENERATION", "model": "alder", **turns}
    trace = write(tmp_path / "trace.jsonl", of_langfuse("t1", observations=[observation], metadata={"v": 1}))
    page = write(tmp_path / "page.json", {"data": [{**observation, "traceId": "t1", "metadata": {"w": 2}}]})
    assert exchanges(read("langfuse", trace, page)) == {("Why?", "So.")}


@pytest.mark.parametrize(
    ("format", "record", "why"),
    [
        ("langfuse", {"a": 1}, "is no trace, observation, score"),
        ("langfuse", of_langfuse("t" * 201, input="Why?", output="So."), "201"),
        ("phoenix", {"span_kind": "LLM"}, "is no span of Phoenix"),
        ("langsmith", {"a": 1}, "is neither a run nor an example"),
        ("otel", {"a": 1}, "is no OTLP"),
        ("otel", {"resourceSpans": [{"scopeSpans": [{"spans": [{"name": "x"}]}]}]}, "does not say to which trace"),
        ("langsmith", {"run_type": "chain", "id": {"a": 1}}, "id"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(tmp_path: Path, format: str, record: Any, why: str) -> None:
    path = write(tmp_path / "file.jsonl", record)
    reason = reasons_of(format, path, definition=SCHEME)[0]
    assert "file.jsonl, line 1" in reason
    assert why in reason


def test_a_preview_noted_is_the_preview_of_all_files() -> None:
    format = FORMATS["langfuse"]
    sources = open_files(format, [WRITTEN / name for name in OF_FORMAT["langfuse"]])
    chosen = Options(definition=SCHEME)
    preview = format.preview(sources, chosen)
    assert preview.mapping["documents"] == "documents"
    assert not preview.wrong
    assert format.preview_noted(format.note(sources, chosen), chosen).mapping == preview.mapping
    with read_study(format, sources, chosen) as study:
        assert len(listed(study).questions) == 2
