"""Tool calls that a target wrote as text, in every form seen in logs.

One pass from left to right. A form is tried where its opening is seen; what a
call covers is not looked at again. Attempts that fail are paid from a budget
in proportion to the text, so that no text takes more than linear time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from typing import Any

from geode_tui.domain.base import Span
from geode_tui.domain.transcript import ToolCall
from geode_tui.files.call_shapes import (
    SHELL_TOOLS,
    TAGS_OF_TOOLS,
    Found,
    attributes,
    calls_in_body,
    name_hint,
    named,
    named_all,
    nameless,
    parameters,
)
from geode_tui.files.call_syntax import NAME, call_at
from geode_tui.files.fences import CALL_FENCES, OPEN_FENCES, Fence, Fences
from geode_tui.files.quasi_json import (
    Decoded,
    closing,
    decode_at,
    is_elision,
    loads,
    skip_space,
)

_OPENING = re.compile(
    r"(?P<fence>^[ ]{0,8}(?:`{3,}|~{3,}))"
    r"|<(?P<wrap>tool_call|tool_use|function_call|toolcall)>"
    r"|<(?:antml:)?(?P<invoke>invoke)\s{1,20}name\s{0,20}=\s{0,20}"
    r"(?P<quote>[\"'])(?P<invoked>[^\"'<>\n]{1,128})(?P=quote)\s{0,20}>"
    rf"|<(?P<tag>{NAME})(?=[\s/>])"
    r"|^[ \t]{0,40}(?P<line>TOOL[_ ]CALL\s{0,4}:|>>>)[ \t]{0,40}"
    r"|(?P<json>^[ \t]{0,40}[{\[]"
    r"|(?<![`\w])\{(?=\s{0,20}\"(?:name|tool|tool_name)\"\s{0,20}:))",
    re.MULTILINE,
)
_CALL_KEYS = re.compile(
    r'"(?:name|tool|tool_name|function|action|cmd|command)"\s{0,20}:'
)
_BARE_HEAD = re.compile(
    r'\{\s{0,100}"(?:name|tool|tool_name|function)"\s{0,20}:\s{0,20}"([^"\n]{1,128})"'
    r'\s{0,20},\s{0,100}"(?:arguments|args|parameters|input)"\s{0,20}:'
)
_LINE_WINDOW = 200_000
"""Longest call, in characters, that is looked for after ``TOOL_CALL:``."""


def find_calls(text: str, tools: Collection[str] = ()) -> tuple[ToolCall, ...]:
    """The calls written in ``text``, in order; their spans never overlap.

    Args:
        text: what the target said, without its reasoning.
        tools: names of tools that the scenario offers. They make three more
            forms calls: a shell fence whose language is such a tool, a tag
            named like one, and a ``>>> tool(...)`` line.
    """
    if not text or not any(sign in text for sign in "{<(`~"):
        return ()
    return tuple(_Scan(text, frozenset(tools)).run())


class _Scan:
    def __init__(self, text: str, tools: frozenset[str]) -> None:
        self.text = text
        self.tools = tools
        self.fences = Fences(text)
        self.has_keys = bool(_CALL_KEYS.search(text))
        self.budget = 4 * len(text) + 1_000_000
        self.next_seen: dict[str, int] = {}
        self.fence_ends: set[int] = set()
        self.fence_until = 0

    def run(self) -> Iterator[ToolCall]:
        forms: dict[str, Callable[[re.Match[str]], tuple[list[Found], int]]] = {
            "fence": self._fence,
            "wrap": self._wrap,
            "quote": self._invoke,
            "tag": self._tag,
            "line": self._line,
            "json": self._json,
        }
        position = 0
        while match := _OPENING.search(self.text, position):
            kind = next(k for k in forms if match.group(k) is not None)
            found, position = forms[kind](match)
            position = max(position, match.end())
            for call in found:
                yield _tool_call(call, self.text)

    # Each form gets the match of its opening and returns the calls found there
    # and where to look on: past what they cover, or just past the opening.

    def _fence(self, match: re.Match[str]) -> tuple[list[Found], int]:
        fence = self.fences.at(match.start())
        if fence is None or match.start() in self.fence_ends:
            return [], match.end()
        language = fence.language
        if language in CALL_FENCES:
            return self._call_fence(fence)
        if language in SHELL_TOOLS and language in self.tools:
            return self._shell_fence(fence)
        if language in OPEN_FENCES or not fence.closed:
            return self._json_fence(fence)
        return [], fence.end

    def _call_fence(self, fence: Fence) -> tuple[list[Found], int]:
        # A value may hold the fence's own sign, so the value is read first.
        at = skip_space(self.text, fence.body)
        value = self._decode(at) if self.text[at : at + 1] in {"{", "["} else None
        stop, end = fence.stop, fence.end
        if value is not None and value.end > stop:
            stop, end = self.fences.after(value.end)
        if not fence.closed and value is not None:
            stop = end = value.end
        closed = fence.closed
        found = calls_in_body(
            self.text, fence.body, stop, (fence.start, end), "tool_call_fence"
        )
        return [f._replace(complete=f.complete and closed) for f in found], end

    def _shell_fence(self, fence: Fence) -> tuple[list[Found], int]:
        body = self.text[fence.body : fence.stop].rstrip("\n")
        found = Found(
            name=fence.language,
            positional=(body,),
            how="shell_fence",
            start=fence.start,
            end=fence.end,
            complete=fence.closed,
        )
        return [found], fence.end

    def _json_fence(self, fence: Fence) -> tuple[list[Found], int]:
        if not fence.closed:
            return [], fence.body
        at = skip_space(self.text, fence.body)
        if self.text[at : at + 1] not in {"{", "["}:
            self.fence_ends.add(self.text.rfind("\n", 0, fence.end) + 1)
            self.fence_until = fence.stop
            return [], fence.body
        found: list[Found] = []
        while at < fence.stop and (value := self._decode(at)) is not None:
            found += named_all(self.text, at, value.end, value.value, "json_fence")
            at = skip_space(self.text, value.end)
        if len(found) == 1:
            found = [found[0]._replace(start=fence.start, end=fence.end)]
        return found, fence.end

    def _wrap(self, match: re.Match[str]) -> tuple[list[Found], int]:
        tag = match.group("wrap")
        opening, closer = f"<{tag}>", f"</{tag}>"
        body = match.end()
        if self._in_backticks(match):
            return [], body
        at = skip_space(self.text, body)
        value = self._decode(at) if self.text[at : at + 1] in {"{", "["} else None
        stop = self._find(closer, value.end if value else body)
        following = self.text.find(opening, body, stop if stop >= 0 else None)
        if following >= 0 and value is None:
            stop = -1
        if stop >= 0 and not (value and self.text[value.end : stop].strip()[:1] == "<"):
            if is_elision(self.text[body:stop]):
                return [], stop + len(closer)
            whole = (match.start(), stop + len(closer))
            return (
                calls_in_body(self.text, body, stop, whole, "tool_call_tag"),
                whole[1],
            )
        if value is not None:
            stop = value.end
        elif following >= 0:
            stop = following
        else:
            stop = len(self.text)
        rest = self.text[body : body + 400].lstrip()
        if value is None and not rest.startswith("{") and call_at(rest, 0) is None:
            return [], body
        found = calls_in_body(
            self.text, body, stop, (match.start(), stop), "tool_call_tag"
        )
        return [f._replace(complete=False) for f in found], stop

    def _invoke(self, match: re.Match[str]) -> tuple[list[Found], int]:
        if self._in_backticks(match):
            return [], match.end()
        closers = [
            (at, name)
            for name in ("</invoke>", "</" + "antml:invoke>")
            if (at := self._find(name, match.end())) >= 0
        ]
        stop, closer = min(closers, default=(-1, ""))
        following = self._find("invoke name", match.end())
        complete = stop >= 0 and not 0 <= following < stop
        if not complete:
            stop = following if following >= 0 else len(self.text)
            stop = max(self.text.rfind("<", match.end(), stop), match.end())
            if following < 0:
                stop = len(self.text)
        end = stop + len(closer) if complete else stop
        found = Found(
            name=match.group("invoked"),
            arguments=parameters(self.text[match.end() : stop]),
            how="invoke",
            start=match.start(),
            end=end,
            complete=complete,
        )
        return [found], end

    def _tag(self, match: re.Match[str]) -> tuple[list[Found], int]:
        name = match.group("tag")
        if name not in TAGS_OF_TOOLS and name not in self.tools:
            return [], match.end()
        if self._in_backticks(match):
            return [], match.end()
        written = attributes(self.text, match.end())
        if written is None:
            return [], match.end()
        values, end, self_closed = written
        if self_closed:
            call = Found(
                name=name,
                arguments=values,
                how="shell_tag",
                start=match.start(),
                end=end,
            )
            return [call], end
        stop = self._find(f"</{name}>", end)
        if stop < 0:
            return [], end
        whole = (match.start(), stop + len(name) + 3)
        return [
            self._tag_body(name, values, self.text[end:stop].strip(), whole)
        ], whole[1]

    def _tag_body(
        self, name: str, values: dict[str, Any], text: str, whole: tuple[int, int]
    ) -> Found:
        call = Found(
            name=name, arguments=values, how="bash_tag", start=whole[0], end=whole[1]
        )
        if text.startswith("{"):
            try:
                value = loads(text)
            except ValueError as error:
                return call._replace(error=str(error), raw=text)
            if isinstance(value, dict):
                inner = named(value, "bash_tag", *whole)
                if inner is not None and inner.name == name:
                    return inner
                return call._replace(arguments={**values, **value})
        return call._replace(positional=(text,) if text else ())

    def _line(self, match: re.Match[str]) -> tuple[list[Found], int]:
        at = match.end()
        marked = match.group("line") != ">>>"
        if marked and self.text.startswith("{", at):
            value = self._decode(at)
            start = match.start("line")
            call = named(value.value, "call_line", start, value.end) if value else None
            return ([call], call.end) if call else ([], at)
        if self.budget <= 0:
            return [], at
        written = call_at(self.text[at : at + _LINE_WINDOW], 0)
        if written is None:
            self.budget -= min(_LINE_WINDOW, len(self.text) - at)
            return [], at
        if not marked and written.name not in self.tools:
            return [], at
        call = Found(
            name=written.name,
            arguments=written.arguments,
            positional=written.positional,
            how="call_line",
            start=match.start("line"),
            end=at + written.end,
        )
        return [call], call.end

    def _json(self, match: re.Match[str]) -> tuple[list[Found], int]:
        at = match.end("json") - 1
        if not self.has_keys:
            return [], match.end()
        value = self._decode(at)
        if value is not None:
            found = named_all(self.text, at, value.end, value.value, "bare_json")
            if not found and at >= self.fence_until:
                command = nameless(value.value, at, value.end)
                found = [command] if command else []
            return found, value.end
        head = _BARE_HEAD.match(self.text, at)
        if head is None:
            return [], match.end()
        end = closing(self.text, at)
        return [self._broken(head.group(1), at, end)], end or len(self.text)

    def _broken(self, name: str, at: int, end: int | None) -> Found:
        """An object that is plainly a call but cannot be read as JSON."""
        raw = self.text[at:end]
        call = Found(name=name, how="bare_json", start=at, end=at + len(raw))
        try:
            value = loads(raw)
        except ValueError as error:
            return call._replace(error=str(error), raw=raw, complete=end is not None)
        found = named(value, "bare_json", at, at + len(raw))
        return found or call._replace(raw=raw, error="no arguments")

    def _decode(self, at: int) -> Decoded | None:
        """The JSON value at ``at``; None where there is none or no budget is left."""
        if self.budget <= 0:
            return None
        value = decode_at(self.text, at)
        if not value.ok:
            self.budget -= value.end - at
            return None
        return value

    def _find(self, sign: str, at: int) -> int:
        """``str.find`` for positions that only grow: reads the text once per sign."""
        known = self.next_seen.get(sign, -2)
        if known == -1 or known >= at:
            return known
        found = self.next_seen[sign] = self.text.find(sign, at)
        return found

    def _in_backticks(self, match: re.Match[str]) -> bool:
        """True where a tag is only mentioned, as in a sentence on `<tool_call>`."""
        start, end = match.start(), match.end()
        return self.text[start - 1 : start] == "`" and self.text[end : end + 1] == "`"


def _tool_call(found: Found, text: str) -> ToolCall:
    name = found.name
    if name is None and found.raw is not None:
        name = name_hint(found.raw)
    if name is not None:
        name = name.removeprefix("functions.").strip() or None
    return ToolCall(
        name=name,
        arguments=found.arguments,
        positional=found.positional,
        how=found.how,
        span=Span(start=found.start, end=found.end),
        complete=found.complete,
        error=found.error,
        raw=found.raw,
    )
