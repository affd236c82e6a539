"""YAML as a tree of nodes, which know their lines: read by the parser in C where PyYAML has one, within limits."""

from collections.abc import Iterator
from typing import Final

import yaml

try:
    from yaml import CSafeLoader as Loader
except ImportError:  # PyYAML was built without it
    from yaml import SafeLoader as Loader  # type: ignore[assignment]

__all__ = ["DEEPEST", "Loader", "doubled_keys", "in_exact_words", "is_too_deep", "size_written_out"]

DEEPEST: Final = 100  # levels of a file; ours have six


def is_too_deep(text: str) -> bool:
    """Whether composing a text would exhaust the C stack, and end the process, rather than raise an error.

    Of what is no YAML it says no: composing tells where.
    """
    depth = 0
    try:
        for event in yaml.parse(text, Loader=Loader):
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > DEEPEST:
                return True
    except yaml.YAMLError:
        pass
    return False


def in_exact_words(error: yaml.YAMLError, text: str) -> yaml.YAMLError:
    """The error that the parser in Python has with a text that the one in C refused: it knows the lines better."""
    try:
        yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as exact:
        return exact
    return error


def size_written_out(node: yaml.Node) -> int:
    """How many parts a node has when every alias in it is written out; a node within itself counts as one there."""
    return _size(node, {})


def doubled_keys(node: yaml.Node | None) -> Iterator[tuple[str, int, int]]:
    """Keys that stand twice in one mapping, of which YAML would silently take the last: key, its line, the first's.

    Raises
    ------
    RecursionError
        When a node stands within itself.
    """
    if isinstance(node, yaml.MappingNode):
        lines: dict[str, int] = {}
        for key, _ in node.value:
            line = key.start_mark.line + 1
            if isinstance(key, yaml.ScalarNode) and key.value in lines:
                yield key.value, line, lines[key.value]
            elif isinstance(key, yaml.ScalarNode):
                lines[key.value] = line
    for child in _children(node):
        yield from doubled_keys(child)


def _size(node: yaml.Node, known: dict[int, int]) -> int:
    if id(node) not in known:
        known[id(node)] = 1
        known[id(node)] += sum(_size(child, known) for child in _children(node))
    return known[id(node)]


def _children(node: yaml.Node | None) -> list[yaml.Node]:
    if isinstance(node, yaml.MappingNode):
        return [child for pair in node.value for child in pair]
    return list(node.value) if isinstance(node, yaml.SequenceNode) else []
