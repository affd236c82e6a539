"""Which families of language models a name speaks of: whose answers a judge might take for its own."""

import re

_PARTS = re.compile(r"[a-z]+|\d+")
_REASONING = re.compile(r"(?<![a-z0-9])o[134](?![a-z0-9])")
_OTHER_GPT = re.compile(r"gpt[-_ ]?(?:j|neo|neox)(?![a-z])")

FAMILIES: dict[str, frozenset[str]] = {
    "GPT": frozenset(("gpt", "chatgpt", "davinci", "curie", "babbage", "instructgpt")),
    "Claude": frozenset(("claude",)),
    "Gemini and Gemma": frozenset(("gemini", "gemma", "palm", "bard")),
    "Llama": frozenset(("llama", "codellama", "alpaca", "vicuna")),
    "Mistral": frozenset(("mistral", "mixtral", "ministral", "magistral")),
    "Qwen": frozenset(("qwen", "qwq")),
    "DeepSeek": frozenset(("deepseek",)),
    "Command": frozenset(("command", "cohere")),
    "Phi": frozenset(("phi",)),
    "Grok": frozenset(("grok",)),
    "GLM": frozenset(("glm", "chatglm")),
    "OLMo": frozenset(("olmo", "tulu")),
    "Falcon": frozenset(("falcon",)),
    "LLM-jp": frozenset(("llmjp",)),
    "PLaMo": frozenset(("plamo",)),
}
"""Words in the names of models, by what their makers call the line."""


def families_of(name: str) -> frozenset[str]:
    """The known families that a model's or system's name speaks of; a model taught by another one may have both.

    >>> sorted(families_of("DeepSeek-R1-Distill-Qwen-7B")), sorted(families_of("text-davinci-003"))
    (['DeepSeek', 'Qwen'], ['GPT'])
    """
    plain = name.casefold().replace("llm-jp", "llmjp")
    words = set(_PARTS.findall(_OTHER_GPT.sub(" ", plain)))
    found = {family for family, known in FAMILIES.items() if words & known}
    if _REASONING.search(plain):
        found.add("GPT")
    return frozenset(found)


def are_of_one_family(model: str, system: str, family: str = "") -> bool:
    """Whether a model that judges and a system that answers come of one family.

    They do where the system's name, or the family that the corpus gives it, is of one of the model's `families_of`; or
    where that family's words stand one after another in the model's name, which makes any family known that its
    researcher writes down.

    Parameters
    ----------
    model : str
        As its server calls it, such as ``gpt-4.1-mini``.
    system, family : str
        As the corpus has them; an empty family says nothing.

    >>> are_of_one_family("gpt-4.1-mini", "davinci-003"), are_of_one_family("harbour-7b-it", "ours", "Harbour")
    (True, True)
    >>> are_of_one_family("gpt-4.1-mini", "person 1", "experts")
    False
    """
    if families_of(model) & (families_of(system) | families_of(family)):
        return True
    words, told = _PARTS.findall(model.casefold()), _PARTS.findall(family.casefold())
    return bool(told) and any(words[at : at + len(told)] == told for at in range(len(words)))
