"""Hold a JSON value against the part of JSON Schema that judges are asked with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

Json = Any
Schema = Mapping[str, Json]

_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "number": (int, float),
    "integer": (int,),
    "boolean": (bool,),
    "null": (type(None),),
}


def problems_of(value: Json, schema: Schema, path: str = "") -> Iterator[str]:
    """Every way in which the value breaks the schema, as `path: problem`."""
    where = path or "root"
    wanted = schema.get("type")
    if wanted is not None and not _is(value, wanted):
        yield f"{where}: expected {_named(wanted)}, received {_type_of(value)}"
        return
    if "enum" in schema and value not in schema["enum"]:
        yield f"{where}: expected one of {', '.join(map(str, schema['enum']))}"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        yield from _number_problems(value, schema, where)
    if isinstance(value, dict):
        yield from _object_problems(value, schema, path)
    if isinstance(value, list):
        yield from _list_problems(value, schema, path)


def _is(value: Json, wanted: Json) -> bool:
    if isinstance(wanted, list):
        return any(_is(value, each) for each in wanted)
    if isinstance(value, bool) and wanted in ("number", "integer"):
        return False
    if wanted == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _TYPES.get(wanted, (object,)))


def _named(wanted: Json) -> str:
    return " or ".join(wanted) if isinstance(wanted, list) else str(wanted)


def _type_of(value: Json) -> str:
    if isinstance(value, bool):
        return "boolean"
    return next((name for name, types in _TYPES.items() if isinstance(value, types)), "nothing")


def _number_problems(value: float, schema: Schema, where: str) -> Iterator[str]:
    if "minimum" in schema and value < schema["minimum"]:
        yield f"{where}: {value:g} is below {schema['minimum']:g}"
    if "maximum" in schema and value > schema["maximum"]:
        yield f"{where}: {value:g} is above {schema['maximum']:g}"


def _object_problems(value: dict[str, Json], schema: Schema, path: str) -> Iterator[str]:
    properties = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            wanted = _named(properties.get(name, {}).get("type", "a value"))
            yield f"{_join(path, name)}: expected {wanted}, received nothing"
    for name, each in properties.items():
        if name in value:
            yield from problems_of(value[name], each, _join(path, name))


def _list_problems(value: list[Json], schema: Schema, path: str) -> Iterator[str]:
    if len(value) < schema.get("minItems", 0):
        yield f"{path or 'root'}: expected at least {schema['minItems']} items"
    for place, each in enumerate(value):
        yield from problems_of(each, schema.get("items", {}), _join(path, str(place)))


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def without_extras(value: Json, schema: Schema) -> Json:
    """The value without keys that the schema does not name, unless it allows them."""
    if isinstance(value, dict) and "properties" in schema:
        named = schema["properties"]
        keeps = bool(schema.get("additionalProperties"))
        return {
            key: without_extras(each, named.get(key, {}))
            for key, each in value.items()
            if keeps or key in named
        }
    if isinstance(value, list) and "items" in schema:
        return [without_extras(each, schema["items"]) for each in value]
    return value
