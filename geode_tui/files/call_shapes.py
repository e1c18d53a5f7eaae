"""What makes a JSON object, a body of text or a tag a tool call."""

from __future__ import annotations

import html
import json
import re
from typing import Any, NamedTuple

import yaml

from geode_tui.files.call_syntax import call_at
from geode_tui.files.quasi_json import closing, decode_at, elements_at, loads, scalar

SHELL_TOOLS = frozenset({"bash", "sh", "shell", "zsh", "powershell", "terminal"})
"""Languages of a fence that is a call where the scenario has such a tool."""

TAGS_OF_TOOLS = frozenset(
    {"bash", "shell", "run_shell", "run_command", "execute_command", "run_bash"}
)
"""Tags that are calls whatever the scenario offers."""

_NAME = re.compile(r"[\w.:/-]{1,128}")
_NAME_KEYS = ("name", "tool", "tool_name", "function")
_ARGUMENT_KEYS = ("arguments", "args", "parameters", "input", "params")
_COMMAND_KEYS = frozenset({"cmd", "command"})
_COMMAND_EXTRAS = frozenset(
    {"timeout", "timeout_ms", "workdir", "cwd", "description", "restart", "env"}
)
_PARAMETER = re.compile(
    r"<(?:antml:)?parameter\s{1,20}name\s{0,20}=\s{0,20}"
    r"[\"']([^\"'<>\n]{1,128})[\"'][^<>\n]{0,80}>"
)
_PARAMETER_END = re.compile(r"</(?:antml:)?parameter>")
_ATTRIBUTE = re.compile(
    r"\s{0,200}([A-Za-z_][\w.-]{0,63})\s{0,20}=\s{0,20}(?:([\"'])|([^\s\"'<>/]{1,200}))"
)
_ESCAPE = re.compile(r"\\([ntr\"'\\])")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
_TAG_END = re.compile(r"\s{0,200}(/?)>")
_QUOTE_OR_ESCAPE = {quote: re.compile(rf"[\\{quote}]") for quote in "\"'"}
_NAME_HINT = re.compile(
    r"[\"']?(?:name|tool|tool_name|function)[\"']?\s{0,20}[:=]\s{0,20}"
    r"[\"']?([A-Za-z_][\w.-]{0,127})"
)
_YAML_HEAD = re.compile(r"\s{0,200}(?:name|tool)\s{0,20}:\s")
_YAML_LIMIT = 20_000


class Found(NamedTuple):
    """A call before it becomes a value; positions are offsets into the text."""

    name: str | None
    how: str
    start: int
    end: int
    arguments: dict[str, Any] = {}  # noqa: RUF012 - never changed in place
    positional: tuple[Any, ...] = ()
    complete: bool = True
    error: str | None = None
    raw: str | None = None


def named(value: Any, how: str, start: int, end: int) -> Found | None:
    """The call that a JSON object states by name and arguments, if it does."""
    if not isinstance(value, dict):
        return None
    if isinstance(value.get("function"), dict):
        return named(value["function"], how, start, end)
    for wrapper in ("tool_call", "function_call"):
        if isinstance(value.get(wrapper), dict):
            return named(value[wrapper], how, start, end)
    name = next((value[k] for k in _NAME_KEYS if isinstance(value.get(k), str)), None)
    key = next((k for k in _ARGUMENT_KEYS if k in value), None)
    action = value.get("action")
    if name is None and isinstance(action, str) and "action_input" in value:
        name, key = action, "action_input"
    if name is None or key is None or not _NAME.fullmatch(name):
        return None
    return _filled(Found(name=name, how=how, start=start, end=end), value[key])


def named_all(text: str, at: int, end: int, value: Any, how: str) -> list[Found]:
    """The calls of the JSON value at ``at``: an object, or a list of nothing else."""
    if isinstance(value, list):
        found = [named(v, how, a, b) for v, a, b in elements_at(text, at)]
    else:
        found = [named(value, how, at, end)]
    calls = [call for call in found if call is not None]
    return calls if len(calls) == len(found) else []


def _filled(call: Found, written: Any) -> Found | None:
    """``call`` with its arguments; None where they cannot be arguments."""
    if isinstance(written, str):
        try:
            written = loads(written) if written.strip() else {}
        except ValueError as error:
            if call.how == "bare_json":
                return None
            return call._replace(error=str(error), raw=written)
    if written is None:
        return call
    if isinstance(written, list):
        return call._replace(positional=tuple(written))
    if not isinstance(written, dict):
        return call._replace(positional=(written,))
    if written.get("type") == "object" and "properties" in written:
        return None  # the definition of a tool, not a call of it
    return call._replace(arguments=written)


def nameless(value: Any, start: int, end: int) -> Found | None:
    """A bare object that only holds a command, such as ``{"cmd": "ls"}``."""
    if not isinstance(value, dict):
        return None
    commands = _COMMAND_KEYS & value.keys()
    extras = value.keys() - _COMMAND_KEYS - _COMMAND_EXTRAS
    if len(commands) != 1 or extras:
        return None
    if not isinstance(value[next(iter(commands))], str | list):
        return None
    return Found(None, "nameless_json", start, end, arguments=value)


def calls_in_body(
    text: str, body: int, stop: int, whole: tuple[int, int], how: str
) -> list[Found]:
    """The calls in the content of a fence or tag that is there to hold calls.

    ``body`` and ``stop`` bound the content in ``text``; ``whole`` is the span of
    the fence or tag with its marks, which a lone call covers.
    """
    found: list[Found] = []
    at = _start(text, body, stop)
    while at < stop:
        call, at = _next_in_body(text, at, stop, how)
        found += call
        at = _start(text, at, stop)
    if not found:
        return [Found(None, how, *whole, error="nothing inside", raw="")]
    if len(found) == 1:
        return [found[0]._replace(start=whole[0], end=whole[1])]
    return found


def _start(text: str, at: int, stop: int) -> int:
    while at < stop and text[at] in " \t\r\n,;":
        at += 1
    return at


def _next_in_body(text: str, at: int, stop: int, how: str) -> tuple[list[Found], int]:
    """The calls that start at ``at``, and where to read on."""
    if text[at] in "{[":
        return _json_in_body(text, at, stop, how)
    call = call_at(text[at:stop], 0)
    if call is not None:
        end = at + call.end
        return [Found(call.name, how, at, end, call.arguments, call.positional)], end
    raw = text[at:stop].rstrip()
    end = at + len(raw)
    from_yaml = _yaml_call(raw, Found(None, how, at, end))
    if from_yaml is not None:
        return [from_yaml], stop
    unread = Found(name_hint(raw), how, at, end, error="not a call in a known form")
    return [unread._replace(raw=raw)], stop


def _json_in_body(text: str, at: int, stop: int, how: str) -> tuple[list[Found], int]:
    decoded = decode_at(text, at)
    if decoded.ok and decoded.end <= stop:
        value, end = decoded.value, decoded.end
    else:
        closed = closing(text, at, stop)
        end = stop if closed is None else closed
        raw = text[at:end].rstrip()
        try:
            value = loads(raw)
        except ValueError as error:
            broken = Found(name_hint(raw), how, at, at + len(raw), error=str(error))
            return [broken._replace(raw=raw, complete=closed is not None)], end
    found = named_all(text, at, end, value, how)
    if found:
        return found, end
    if isinstance(value, dict):
        name = next((v for k in _NAME_KEYS if isinstance(v := value.get(k), str)), None)
        rest = {k: v for k, v in value.items() if name is None or v is not name}
        return [Found(name, how, at, end, arguments=rest)], end
    return [Found(None, how, at, end, positional=tuple(value))], end


class _Plain(yaml.SafeLoader):
    """Reads every scalar as text; refuses aliases, which can grow without bound."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.events.AliasEvent):
            raise yaml.YAMLError("aliases are not read")
        return super().compose_node(parent, index)


_Plain.yaml_implicit_resolvers = {}


def _yaml_call(raw: str, call: Found) -> Found | None:
    """A call written as ``name: tool`` and ``args:`` lines."""
    if len(raw) > _YAML_LIMIT or not _YAML_HEAD.match(raw):
        return None
    try:
        value = yaml.load(raw, Loader=_Plain)
    except (yaml.YAMLError, ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or not all(isinstance(k, str) for k in value):
        return None
    name = value.get("name", value.get("tool"))
    if not isinstance(name, str) or not name:
        return None
    written = next((value[k] for k in _ARGUMENT_KEYS if k in value), None)
    call = call._replace(name=name)
    if isinstance(written, dict):
        return call._replace(arguments={str(k): _typed(v) for k, v in written.items()})
    if isinstance(written, list):
        return call._replace(positional=tuple(_typed(v) for v in written))
    return call._replace(positional=(scalar(written),)) if written else call


def _typed(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(k): _typed(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_typed(v) for v in value]
    return scalar(value) if isinstance(value, str) else value


def parameters(body: str) -> dict[str, Any]:
    """The parameters of an ``<invoke>``; one that is never closed runs to the end."""
    found: dict[str, Any] = {}
    position = 0
    while opening := _PARAMETER.search(body, position):
        ending = _PARAMETER_END.search(body, opening.end())
        stop = ending.start() if ending else len(body)
        found[opening.group(1)] = scalar(body[opening.end() : stop])
        position = ending.end() if ending else len(body)
    return found


def attributes(text: str, at: int) -> tuple[dict[str, Any], int, bool] | None:
    """Attributes of a tag, where the tag ends, and whether it closes itself.

    Values may hold escaped quotes; ``>`` inside quotes does not end the tag.
    None where the text from ``at`` is not the rest of a tag.
    """
    values: dict[str, Any] = {}
    while match := _ATTRIBUTE.match(text, at):
        quote = match.group(2)
        if quote is None:
            values[match.group(1)] = scalar(match.group(3))
            at = match.end()
            continue
        stop = _quote_end(text, match.end(), quote)
        if stop is None:
            return None
        values[match.group(1)] = _unescaped(text[match.end() : stop])
        at = stop + 1
    ending = _TAG_END.match(text, at)
    if ending is None:
        return None
    return values, ending.end(), bool(ending.group(1))


def _quote_end(text: str, at: int, quote: str) -> int | None:
    pattern = _QUOTE_OR_ESCAPE[quote]
    while match := pattern.search(text, at):
        if match.group() == quote:
            return match.start()
        at = match.end() + 1
    return None


def _unescaped(written: str) -> str:
    if "\\" in written:
        try:
            value = json.loads('"' + written.replace("\\'", "'") + '"', strict=False)
        except ValueError:  # escapes of a shell among those of the string
            return _ESCAPE.sub(lambda m: _ESCAPES.get(m[1], m[1]), written)
        return str(value)
    return html.unescape(written) if "&" in written else written


def name_hint(raw: str) -> str | None:
    """The name of the tool in a call that could not be read, if it shows one."""
    match = _NAME_HINT.search(raw[:2000])
    return match.group(1) if match else None
