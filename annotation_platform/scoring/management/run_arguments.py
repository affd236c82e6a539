"""Arguments of the command line for the parameters of every method, from the one declaration of each (`options`)."""

from argparse import BooleanOptionalAction
from collections.abc import Iterator
from typing import Any

from django.core.management.base import CommandParser

from annotation_platform.scoring.methods import METHODS, RunMethod
from annotation_platform.scoring.options import Option, OptionKind
from annotation_platform.scoring.parameters import Parameters

LEFT_OUT = "none"
METAVARS = {OptionKind.NUMBER: "NUMBER", OptionKind.WHOLE: "N"}


def add_run_arguments(parser: CommandParser) -> None:
    """One argument for each parameter that people may set, in groups as they are declared."""
    for kind, methods in _kinds().items():
        inherited = {name for parent in kind.__mro__[1:] if issubclass(parent, Parameters) for name in parent.options()}
        own = [option for name, option in kind.options().items() if name not in inherited]
        if own:
            group = parser.add_argument_group(_head(kind), f"of {_whose(kind, methods)}")
            for option in own:
                _add(group, option)


def given_arguments(options: dict[str, Any]) -> dict[str, Any]:
    """What was said of a run's parameters on the command line.

    Raises
    ------
    InvalidInputError
        A value is no number, or no whole one.
    """
    declared = {name: option for method in METHODS for name, option in method.options().items()}
    said = {name: options[name] for name in declared if options[name] is not None}
    return {name: _read(declared[name], value) for name, value in said.items()}


def _kinds() -> dict[type[Parameters], list[RunMethod]]:
    """Every class in which parameters are declared, parents first, with the methods that it is of."""
    found: dict[type[Parameters], list[RunMethod]] = {}
    for method in METHODS:
        for each in method.scored_by:
            for kind in reversed(each.parameters.__mro__):
                if issubclass(kind, Parameters) and method not in found.setdefault(kind, []):
                    found[kind].append(method)
    return found


def _head(kind: type[Parameters]) -> str:
    head = (kind.__doc__ or kind.__name__).splitlines()[0].rstrip(".")
    return head[0].lower() + head[1:]


def _whose(kind: type[Parameters], methods: list[RunMethod]) -> str:
    return ", ".join(" ".join(_way(kind, method)) for method in methods)


def _way(kind: type[Parameters], method: RunMethod) -> Iterator[str]:
    yield f"--method {method.name}"
    able = [each.scorer for each in method.scored_by if issubclass(each.parameters, kind)]
    if len(able) < len(method.scored_by):
        yield f"--scorer {' or '.join(able)}"


def _add(group: Any, option: Option) -> None:
    flag = f"--{option.name.replace('_', '-')}"
    told = _told(option).replace("%", "%%")
    if option.kind is OptionKind.YES_NO:
        group.add_argument(flag, action=BooleanOptionalAction, default=None, dest=option.name, help=told)
    elif option.choices:
        group.add_argument(flag, choices=[value for value, _ in option.choices], dest=option.name, help=told)
    else:
        metavar = METAVARS.get(option.kind, option.name.upper())
        group.add_argument(flag, metavar=metavar, dest=option.name, help=told)


def _told(option: Option) -> str:
    """Its words in one line, as ``--help`` has them."""
    left_open = option.usual or option.initial or next((value for value, _ in option.choices), "")
    parts = [option.label, option.help, *_meanings(option)]
    if option.can_be_none:
        parts.append(f"“{LEFT_OUT}” leaves it to the server")
    told = "; ".join(_continued(part) for part in parts if part)
    return f"{told} (default: {left_open})" if left_open else told


def _meanings(option: Option) -> Iterator[str]:
    """What each value stands for, where its label says more than itself."""
    for value, label in option.choices:
        said = _continued(label)
        if said != value:
            yield said if said.startswith(f"{value}:") else f"{value}: {said}"


def _continued(words: str) -> str:
    words = words.removesuffix(".")
    is_acronym = words[1:2].isupper()
    return words if is_acronym else words[0].lower() + words[1:]


def _read(option: Option, value: Any) -> Any:
    return value if isinstance(value, bool) else option.read("" if _is_none(option, value) else value)


def _is_none(option: Option, value: str) -> bool:
    return option.can_be_none and value == LEFT_OUT
