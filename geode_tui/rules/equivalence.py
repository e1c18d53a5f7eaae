"""When two calls are the same call: canonical arguments, each step with a reason.

Two calls are *equivalent* when their canonical forms are equal. A difference
that the rubric does not speak of (letter case of an identifier) makes them
*perhaps* equivalent: a doubt for a person, not a count.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import cached_property
from typing import Any

from geode_tui.domain.ids import canonical_json
from geode_tui.domain.rubric import ToolSpec
from geode_tui.domain.transcript import ToolCall

_NUMBER = re.compile(r"[+-]?(\d{1,15})(\.\d+)?")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}.*)?")


@dataclass(frozen=True)
class Canonical:
    """A call in canonical form.

    Attributes:
        tool: its name, or "" where none was written.
        arguments: canonical values by parameter name.
        exact: key under which only equivalent calls are equal.
        steps: what was done to get there, in words.
    """

    tool: str
    arguments: dict[str, Any]
    exact: str
    steps: tuple[str, ...]

    @cached_property
    def folded(self) -> str:
        """``exact`` with the letter case of all strings folded."""
        return canonical_json([self.tool, _folded(self.arguments)])


def canonical(call: ToolCall, spec: ToolSpec | None) -> Canonical:
    """The canonical form of ``call``.

    Positional arguments get their names from ``spec``, defaults of ``spec``
    are filled in, white space is normalised, numbers and ISO dates get one
    spelling, key order does not matter.
    """
    steps: list[str] = []
    arguments = dict(call.arguments)
    names = spec.parameters if spec else ()
    for index, value in enumerate(call.positional):
        name = names[index] if index < len(names) else f"#{index + 1}"
        if name in arguments:
            name = f"#{index + 1}"
        else:
            steps.append(f"position {index + 1} is {name}")
        arguments[name] = value
    if spec:
        for name, default in spec.defaults.items():
            if name not in arguments:
                arguments[name] = default
                steps.append(f"{name} defaults to {default!r}")
    values = {name: _value(value, name, steps) for name, value in arguments.items()}
    if call.raw is not None and not arguments:
        values = {"raw": " ".join(call.raw.split())}
    tool = call.name or ""
    return Canonical(
        tool=tool,
        arguments=values,
        exact=canonical_json([tool, values]),
        steps=tuple(steps),
    )


def _value(value: Any, name: str, steps: list[str]) -> Any:
    if isinstance(value, dict):
        return {str(k): _value(v, f"{name}.{k}", steps) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_value(v, name, steps) for v in value]
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        steps.append(f"{name}: {value} is {int(value)}")
        return int(value)
    if isinstance(value, str):
        return _string(value, name, steps)
    return value


def _string(value: str, name: str, steps: list[str]) -> Any:
    text = " ".join(value.split())
    if text != value:
        steps.append(f"{name}: white space")
    if _NUMBER.fullmatch(text) and not re.match(r"[+-]?0\d", text):
        number = float(text) if "." in text else int(text)
        steps.append(f"{name}: the text {text!r} is a number")
        return _value(number, name, steps)
    if _DATE.fullmatch(text):
        moment = _moment(text)
        if moment is not None and moment != text:
            steps.append(f"{name}: {text} is {moment}")
            return moment
    return text


def _moment(text: str) -> str | None:
    """One spelling of an ISO date or time; a time with an offset goes to UTC."""
    try:
        if len(text) == 10:
            return date.fromisoformat(text).isoformat()
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    if moment.tzinfo is not None:
        moment = moment.astimezone(UTC)
    return moment.isoformat()


def _folded(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _folded(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_folded(v) for v in value]
    return value.casefold() if isinstance(value, str) else value
