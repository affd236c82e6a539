"""Writes a log of Inspect AI, in the format that is named, of a task with a chat and a tool and a model of none."""

import sys

import tiktoken
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import (
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    ModelOutput,
    get_model,
)
from inspect_ai.scorer import includes
from inspect_ai.solver import generate, use_tools
from inspect_ai.tool import tool


class Words:
    """Counts words, where Inspect would fetch from elsewhere how a model of OpenAI's cuts texts."""

    def encode(self, text: str, **_: object) -> list[str]:
        return text.split()


tiktoken.get_encoding = lambda name: Words()


@tool
def look_up():
    async def execute(word: str) -> str:
        """Looks a word up.

        Args:
            word: The word.
        """
        return f"{word}: it floats."

    return execute


samples = [
    Sample(id="ice", input="Why does ice float?", target="It is lighter than water."),
    Sample(
        id="tide",
        input=[
            ChatMessageSystem(content="Answer briefly."),
            ChatMessageUser(content="What pulls at the sea?"),
            ChatMessageAssistant(content="The moon."),
            ChatMessageUser(content="And what else?"),
        ],
        target=["The sun", "The sun."],
    ),
    Sample(id="tool", input="Does oil float on water?", target="Yes"),
]
outputs = [
    ModelOutput.from_content("mockllm/model", "Because it is light."),
    ModelOutput.from_content("mockllm/model", "The sun."),
    ModelOutput.for_tool_call("mockllm/model", "look_up", {"word": "oil"}),
    ModelOutput.from_content("mockllm/model", "Yes, oil floats."),
]
(log,) = eval(
    Task(name="water", dataset=samples, solver=[use_tools(look_up()), generate()], scorer=includes()),
    model=get_model("mockllm/model", custom_outputs=outputs),
    log_format=sys.argv[1],
    log_dir="logs",
    display="none",
    max_samples=1,
)
assert log.status == "success", log.error
