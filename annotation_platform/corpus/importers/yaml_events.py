"""Plain YAML straight from the parser's events: without a tree of nodes, which takes ten times the file's size."""

from collections.abc import Iterator
from typing import Any, Final

import yaml
from yaml.constructor import SafeConstructor
from yaml.resolver import Resolver

from annotation_platform.core.yaml_trees import DEEPEST, Loader

_RESOLVERS: Final = Resolver.yaml_implicit_resolvers
_MERGE = "tag:yaml.org,2002:merge"


class UnusualYamlError(Exception):
    """The file is too deep, or has an alias, a tag, a merge or a key that is no word: only the whole tree tells."""


class DoubledKeyError(Exception):
    def __init__(self, key: str, line: int) -> None:
        self.key, self.line = key, line
        super().__init__(key)


def load_plain(text: str) -> Any:
    """The data of a YAML file in plain words.

    Raises
    ------
    UnusualYamlError
        When there is more to it; read it by its tree then.
    DoubledKeyError
        When a mapping has the same key twice.
    yaml.YAMLError
        When it is no YAML.
    """
    events = yaml.parse(text, Loader=Loader)
    for event in events:
        if isinstance(event, yaml.DocumentStartEvent):
            data = _value(next(events), events, 0)
            next(events)  # the document's end
            if not isinstance(next(events), yaml.StreamEndEvent):
                raise UnusualYamlError
            return data
    return None


def _value(event: yaml.Event, events: Iterator[yaml.Event], depth: int) -> Any:
    if isinstance(event, yaml.ScalarEvent):
        return _scalar(event)
    if depth == DEEPEST or getattr(event, "anchor", None) is not None or getattr(event, "tag", None) is not None:
        raise UnusualYamlError
    if isinstance(event, yaml.SequenceStartEvent):
        return list(_items(events, depth + 1))
    if isinstance(event, yaml.MappingStartEvent):
        return _mapping(events, depth + 1)
    raise UnusualYamlError


def _items(events: Iterator[yaml.Event], depth: int) -> Iterator[Any]:
    for event in events:
        if isinstance(event, yaml.SequenceEndEvent):
            return
        yield _value(event, events, depth)


def _mapping(events: Iterator[yaml.Event], depth: int) -> dict[Any, Any]:
    data: dict[Any, Any] = {}
    for event in events:
        if isinstance(event, yaml.MappingEndEvent):
            return data
        if not isinstance(event, yaml.ScalarEvent):
            raise UnusualYamlError
        key = _scalar(event)
        if key in data:
            raise DoubledKeyError(event.value, event.start_mark.line + 1 if event.start_mark else 0)
        data[key] = _value(next(events), events, depth)
    return data


def _scalar(event: yaml.ScalarEvent) -> Any:
    """As the safe loader reads it: quoted is text; a plain word may be a number, a truth value, nothing, a date."""
    if event.anchor is not None or event.tag is not None:
        raise UnusualYamlError
    text: str = event.value
    if not event.implicit[0]:
        return text
    for tag, pattern in (*_RESOLVERS.get(text[:1], ()), *_RESOLVERS.get(None, ())):
        if pattern.match(text):
            if tag == _MERGE:
                raise UnusualYamlError
            try:
                return SafeConstructor().construct_document(yaml.ScalarNode(tag, text))
            except (yaml.YAMLError, ValueError):  # the tree knows the line
                raise UnusualYamlError from None
    return text
