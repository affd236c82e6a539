"""Which systems are of a judge's family, by their names."""

import pytest

from annotation_platform.core.methods.model_families import are_of_one_family, families_of


@pytest.mark.parametrize(
    ("name", "families"),
    [
        ("gpt-4.1-mini", {"GPT"}),
        ("text-davinci-003", {"GPT"}),
        ("ChatGPT", {"GPT"}),
        ("GPT4", {"GPT"}),
        ("o3-mini", {"GPT"}),
        ("gpt-oss-20b", {"GPT"}),
        ("EleutherAI/gpt-j-6b", set()),
        ("gpt_neox_20b", set()),
        ("claude-3-5-sonnet", {"Claude"}),
        ("gemma-3-270m", {"Gemini and Gemma"}),
        ("models/gemini-2.5-flash", {"Gemini and Gemma"}),
        ("meta-llama/Meta-Llama-3-8B", {"Llama"}),
        ("DeepSeek-R1-Distill-Qwen-7B", {"DeepSeek", "Qwen"}),
        ("llm-jp-3-13b", {"LLM-jp"}),
        ("human_2", set()),
        ("delphi", set()),
        ("video3-model", set()),
        ("", set()),
    ],
)
def test_families_that_a_name_speaks_of(name: str, families: set[str]) -> None:
    assert families_of(name) == families


@pytest.mark.parametrize(
    ("model", "system", "family", "one"),
    [
        ("gpt-4o", "davinci-003", "", True),
        ("gpt-4o", "ours", "GPT-3", True),
        ("gpt-4o", "llama-2", "", False),
        ("tern-7b-chat", "ours", "Tern", True),
        ("tern-7b-chat", "ours", "tern 7b", True),
        ("tern-7b-chat", "ours", "7b tern", False),
        ("tern-7b-chat", "tern-7b", "", False),  # a family that no corpus names is not guessed
        ("tern-7b-chat", "ours", "", False),
        ("tern-7b-chat", "ours", "人間", False),
    ],
)
def test_a_judges_own_family(model: str, system: str, family: str, one: bool) -> None:
    assert are_of_one_family(model, system, family) is one
