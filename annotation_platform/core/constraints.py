"""What pydantic finds wrong with single values, as reasons."""

from pydantic_core import ErrorDetails

from annotation_platform.core.reasons import Reason

_KINDS = {
    "finite_number": "data.not_finite",
    "float_type": "data.no_number",
    "float_parsing": "data.no_number",
    "int_type": "data.no_whole_number",
    "int_parsing": "data.no_whole_number",
    "int_parsing_size": "data.no_whole_number",
    "int_from_float": "data.no_whole_number",
    "bool_type": "data.no_truth_value",
    "bool_parsing": "data.no_truth_value",
    "list_type": "data.no_list",
    "tuple_type": "data.no_list",
    "dict_type": "data.no_mapping",
    "mapping_type": "data.no_mapping",
    "model_type": "data.no_mapping",
    "model_attributes_type": "data.no_mapping",
}
_LIMITS = {
    "greater_than": ("data.not_above", "gt"),
    "greater_than_equal": ("data.too_small", "ge"),
    "less_than_equal": ("data.too_large", "le"),
    "string_too_short": ("data.text_too_short", "min_length"),
    "string_too_long": ("data.text_too_long", "max_length"),
}
_LENGTHS = {
    "too_short": ("data.too_few_members", "min_length"),
    "too_long": ("data.too_many_members", "max_length"),
}


def broken_constraint(found: ErrorDetails) -> Reason | None:
    """What a value breaks of what its field allows; None for kinds of mistakes that are told elsewhere."""
    kind, context = found["type"], found.get("ctx", {})
    if kind in _KINDS:
        return Reason(_KINDS[kind])
    if kind in _LIMITS:
        code, name = _LIMITS[kind]
        return Reason(code, limit=context[name])
    if kind in _LENGTHS:
        code, name = _LENGTHS[kind]
        return Reason(code, limit=context[name], count=context["actual_length"])
    if kind in ("literal_error", "enum"):
        known = context["expected"].replace(" or ", ", ").split(", ")
        return Reason("data.none_of", known=known) if len(known) > 1 else Reason("data.not_just", known=known[0])
    return None
