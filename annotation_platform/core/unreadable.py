"""What the operating system and the parser of YAML say of files, as reasons that can be told in any language."""

import errno

import yaml

from annotation_platform.core.reasons import Reason

_SYSTEM_SAYS = {
    errno.ENOENT: "files.missing",
    errno.EACCES: "files.forbidden",
    errno.EPERM: "files.forbidden",
    errno.EROFS: "files.read_only",
    errno.ENOSPC: "files.disk_full",
    errno.EDQUOT: "files.disk_full",
    errno.EISDIR: "files.folder",
    errno.ENOTDIR: "files.no_folder",
    errno.ENAMETOOLONG: "files.name_too_long",
    errno.EIO: "files.disk_broken",
}
# In the words of both parsers, that in C and that in Python.
_YAML_SAYS = {
    "mapping values are not allowed": "yaml.colon_in_value",
    "expected ',' or": "yaml.bracket_open",
    "unexpected end of stream": "yaml.quote_open",
    "cannot start any token": "yaml.wrong_beginning",
    "undefined alias": "yaml.unknown_alias",
    "unknown escape character": "yaml.unknown_escape",
    "another document": "yaml.several_documents",
    "could not find expected ':'": "yaml.colon_missing",
    "constructor for the tag": "yaml.unknown_tag",
    "characters are not allowed": "yaml.control_character",
    "node content": "yaml.value_missing",
    "expected <block end>": "yaml.indentation",
    "did not find expected key": "yaml.indentation",
    "'-' indicator": "yaml.indentation",
}


def why_not_opened(error: OSError) -> str:
    """Why a file cannot be read or written; in the system's own words where these are not known."""
    code = _SYSTEM_SAYS.get(error.errno or 0)
    return Reason(code) if code else error.strerror or str(error)


def why_no_yaml(error: yaml.YAMLError) -> str:
    """What is wrong with a text as YAML; in the parser's own words where these are not known.

    Examples
    --------
    >>> try:
    ...     yaml.safe_load("title: 'Towns")
    ... except yaml.YAMLError as error:
    ...     why_no_yaml(error)
    'a quotation mark is not closed'
    """
    words = str(getattr(error, "problem", None) or getattr(error, "reason", None) or error)
    code = next((code for known, code in _YAML_SAYS.items() if known in words), "")
    return Reason(code) if code else words
