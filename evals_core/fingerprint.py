"""A hash of a definition, the same wherever the same definition is loaded."""

from __future__ import annotations

import hashlib
import inspect
import json
import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import lru_cache, partial
from math import isfinite
from textwrap import dedent
from types import CodeType, FunctionType, MethodType

Json = object
DEEPEST = 6  # functions within functions that are looked into


def fingerprint(definition: Mapping[str, Json]) -> str:
    """The SHA-256 of the definition in canonical JSON, in hex."""
    text = json.dumps(definition, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@lru_cache(maxsize=4096)
def _source(code: CodeType) -> str:
    try:
        return dedent(inspect.getsource(code))
    except (OSError, TypeError):  # typed in a console, or made by exec
        return code.co_code.hex() + repr(code.co_consts if _is_plain(code.co_consts) else "")


def _is_plain(constants: tuple[object, ...]) -> bool:
    return all(isinstance(each, (str, int, float, bytes, type(None))) for each in constants)


def describe(value: object, depth: int = 0) -> Json:
    """The value as JSON; a function by its source text and what it has captured."""
    if value is None or isinstance(value, (str, bool, int, float)):
        return repr(value) if isinstance(value, float) and not isfinite(value) else value
    if depth > DEEPEST:
        return type(value).__qualname__
    if isinstance(value, Mapping):
        return {str(key): describe(each, depth + 1) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [describe(each, depth + 1) for each in value]
    if isinstance(value, (set, frozenset)):
        return sorted((describe(each, depth + 1) for each in value), key=repr)
    if isinstance(value, re.Pattern):
        return [value.pattern if isinstance(value.pattern, str) else "bytes", value.flags]
    return _describe_object(value, depth)


def _describe_object(value: object, depth: int) -> Json:
    if isinstance(value, type):
        return f"{value.__module__}.{value.__qualname__}"
    if isinstance(value, MethodType):
        return [describe(value.__func__, depth + 1), describe(value.__self__, depth + 1)]
    if isinstance(value, FunctionType):
        cells = [_content(cell) for cell in value.__closure__ or ()]
        return [
            _source(value.__code__),
            describe(cells, depth + 1),
            describe(value.__defaults__ or (), depth + 1),
        ]
    definition = getattr(value, "definition", None)
    if callable(definition):
        return describe(definition(), depth + 1)
    if isinstance(value, partial):
        return [describe(each, depth + 1) for each in (value.func, value.args, value.keywords)]
    if is_dataclass(value):
        kept = {each.name: getattr(value, each.name, None) for each in fields(value)}
        return [type(value).__qualname__, describe(kept, depth + 1)]
    return f"{type(value).__module__}.{type(value).__qualname__}"


def _content(cell: object) -> object:
    try:
        return getattr(cell, "cell_contents", None)
    except ValueError:  # the cell is still empty
        return None
