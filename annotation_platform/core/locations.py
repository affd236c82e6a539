"""Where in a YAML or JSON document something stands: its key path, as people write it, and its line."""

import yaml

Location = tuple[str | int, ...]


def key_path(location: Location) -> str:
    """Write a location as a key path.

    Examples
    --------
    >>> key_path(("aspects", 2, "scale"))
    'aspects[2].scale'
    """
    path = ""
    for part in location:
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else part
    return path


def line_of(node: yaml.Node | None, location: Location) -> int:
    """The line, from 1, of the deepest part of ``location`` that a composed document has.

    A key that is missing is reported where its mapping begins.
    """
    line = node.start_mark.line if node else 0
    for part in location:
        if isinstance(node, yaml.MappingNode):
            match = next((pair for pair in node.value if pair[0].value == str(part)), None)
            if match is None:
                break
            line, node = match[0].start_mark.line, match[1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            node = node.value[part]
            line = node.start_mark.line
        else:
            break
    return line + 1
