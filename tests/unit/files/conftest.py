"""Small Inspect logs, written by inspect_ai itself."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from inspect_ai.event import Event, ModelEvent, TimelineSpan
    from inspect_ai.log import EvalSample

SCORE = {"type": "integer", "minimum": 1, "maximum": 10}


class LogMaker:
    """Builds samples of audits and of plain tasks, and writes logs of them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def message(self, role: str, text: Any, id_: str | None = None, **more: Any) -> Any:
        from inspect_ai import model

        kind = {
            "system": model.ChatMessageSystem,
            "user": model.ChatMessageUser,
            "assistant": model.ChatMessageAssistant,
            "tool": model.ChatMessageTool,
        }[role]
        return kind(content=text, id=id_ or text, **more)

    def call(
        self,
        inputs: list[Any],
        answer: Any,
        *,
        role: str | None = "target",
        stop: str = "stop",
        error: str | None = None,
        tools: tuple[Any, ...] = (),
    ) -> ModelEvent:
        """A model call; ``answer`` None is a call that failed."""
        from inspect_ai.event import ModelEvent
        from inspect_ai.model import ChatCompletionChoice, GenerateConfig, ModelOutput

        choices = []
        if answer is not None:
            choices = [ChatCompletionChoice(message=answer, stop_reason=stop)]  # type: ignore[arg-type]
        return ModelEvent(
            model=f"maker/{role}",
            role=role,
            input=inputs,
            tools=list(tools),
            tool_choice="auto",
            config=GenerateConfig(),
            output=ModelOutput(model=f"maker/{role}", choices=choices),
            error=error,
        )

    def talk(self, *turns: str, before: tuple[Any, ...] = ()) -> list[ModelEvent]:
        """The calls of a conversation: turns by role letter, ``s:``, ``u:``, ``a:``.

        ``before``: messages of an earlier point of it.
        """
        roles = {"s": "system", "u": "user", "a": "assistant"}
        said: list[Any] = list(before)
        events: list[ModelEvent] = []
        for turn in turns:
            letter, _, text = turn.partition(":")
            message = self.message(
                roles[letter],
                text,
                **({"source": "generate"} if letter == "a" else {}),
            )
            if letter == "a":
                events.append(self.call(list(said), message))
            said.append(message)
        return events

    def span(
        self,
        name: str,
        events: list[Any],
        branches: tuple[TimelineSpan, ...] = (),
        fork: str | None = None,
    ) -> TimelineSpan:
        from inspect_ai.event import TimelineEvent, TimelineSpan

        return TimelineSpan(
            id=name,
            name=name,
            span_type="branch",
            content=[TimelineEvent(event=event) for event in events],
            branches=list(branches),
            branched_from=fork,
        )

    def judge(
        self,
        dimensions: tuple[str, ...],
        *,
        stop: str = "stop",
        error: str | None = None,
    ) -> ModelEvent:
        from inspect_ai.tool import ToolInfo, ToolParams

        fields: dict[str, Any] = {"summary": {"type": "string"}}
        fields |= {d: {**SCORE, "description": f"words of {d}"} for d in dimensions}
        tool = ToolInfo(
            name="answer",
            description="",
            parameters=ToolParams.model_validate({"properties": fields}),
        )
        return self.call(
            [self.message("user", "judge this")],
            None if error else self.message("assistant", "I do"),
            role="judge",
            stop=stop,
            error=error,
            tools=(tool,),
        )

    def audit(
        self, root: TimelineSpan | None, *, id_: str = "seed-1", **more: Any
    ) -> EvalSample:
        """An audit; ``root`` is the target's timeline."""
        from inspect_ai.event import Timeline
        from inspect_ai.log import EvalSample

        events: list[Event] = list(more.pop("events", []))

        def walk(span: TimelineSpan) -> None:
            events.extend(i.event for i in span.content if i.type == "event")
            for branch in span.branches:
                walk(branch)

        timelines = None
        if root is not None:
            walk(root)
            timelines = [Timeline(name="target", description="", root=root)]
        given = {
            "messages": [
                self.message("system", "You audit."),
                self.message("assistant", "I would score this R=9."),
            ],
            "input": "# Seed\n\nDo it.",
            "epoch": 1,
            "target": "",
            "metadata": {"target_dims": ["a"], "odd": None},
            **more,
        }
        return EvalSample(id=id_, events=events, timelines=timelines, **given)

    def plain(self, *messages: Any, id_: str | int = 1, **more: Any) -> EvalSample:
        from inspect_ai.log import EvalSample

        given = {"input": "Q", "target": "A", "epoch": 1, **more}
        return EvalSample(id=id_, messages=list(messages), **given)

    def write(
        self, *samples: EvalSample, name: str = "log.eval", audit: bool = True
    ) -> Path:
        from inspect_ai.log import (
            EvalConfig,
            EvalDataset,
            EvalLog,
            EvalSpec,
            write_eval_log,
        )
        from inspect_ai.model import ModelConfig

        roles = {r: ModelConfig(model=f"maker/{r}") for r in ("target", "auditor")}
        spec = EvalSpec(
            run_id="run-1",
            eval_id="eval-1",
            task_id="task-1",
            created="2026-01-01T00:00:00+00:00",
            task="audit" if audit else "quiz",
            dataset=EvalDataset(),
            model="none/none" if audit else "maker/solver",
            model_roles=roles if audit else None,
            config=EvalConfig(),
        )
        path = self._folder / name
        log = EvalLog(eval=spec, status="success", samples=list(samples))
        write_eval_log(log, path)
        return path


@pytest.fixture
def make(tmp_path: Path) -> LogMaker:
    return LogMaker(tmp_path)
