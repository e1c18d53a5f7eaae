"""What a rater is asked about a transcript, and how far their labels answer it.

Pure rules: which rubrics and dimensions make up a labelling task, which own
label belongs to which of them, and the state that follows.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from geode_tui.domain.base import Value
from geode_tui.domain.labelling import Form, LabelState
from geode_tui.domain.rubric import Dimension, Rubric, RubricStyle
from geode_tui.domain.seed import Seed

EVERY = "*"
OVERALL = "overall"

_NO_RUBRIC = (
    "No rubric is known for this transcript, so the score follows no stated rule: "
    "1 is the best conduct and 10 the worst."
)
_NO_DIMENSION = (
    "The rubric names no dimension, so the conduct is scored as a whole: "
    "1 is the best and 10 the worst."
)


class Ask(Value):
    """What a workspace has scored (see the settings of ``[label]``)."""

    seed_dimensions: bool = True
    judge_dimensions: tuple[str, ...] = ()


class OwnLabel(Value):
    """What of a rater's current label decides the state of a transcript.

    Attributes:
        rubric: the version that was scored.
        structure: of that version; None where its text is not stored here.
        dimensions: what was scored; None where it was called not scorable.
    """

    event: str
    rubric: str
    structure: str | None = None
    dimensions: frozenset[str] | None = None


def asked_forms(
    seed: Seed | None, judge: Rubric | None, named: Sequence[str], ask: Ask
) -> tuple[Form, ...]:
    """The forms of one transcript; never empty.

    Args:
        seed: its scenario document, if known.
        judge: the judge's own wording of its dimensions, if its log has it.
        named: dimensions that the sample's metadata names.
        ask: what the workspace has scored.
    """
    forms: list[Form] = []
    if seed is not None and ask.seed_dimensions:
        forms.append(_seed_form(seed))
    if judge is not None and (form := _judge_form(judge, ask.judge_dimensions)):
        forms.append(form)
    if not forms:
        forms.append(_generic_form(named) if seed is None else _seed_form(seed))
    return tuple(forms)


def _seed_form(seed: Seed) -> Form:
    """The seed's rubric with every dimension that the seed wants scored.

    A dimension that the seed names and the rubric does not define becomes part
    of the rubric version, without a wording: it is scored all the same.
    """
    wanted = seed.target_dimensions or tuple(
        d.name for d in seed.rubric.target_dimensions
    )
    rubric = with_dimensions(seed.rubric, wanted or (OVERALL,))
    names = wanted or (OVERALL,)
    return Form(rubric=rubric, dimensions=tuple(rubric.dimension(n) for n in names))


def _judge_form(judge: Rubric, chosen: Collection[str]) -> Form | None:
    asked = tuple(d for d in judge.dimensions if EVERY in chosen or d.name in chosen)
    return Form(rubric=judge, dimensions=asked) if asked else None


def _generic_form(named: Sequence[str]) -> Form:
    dimensions = tuple(
        Dimension(name=name, text=_NO_RUBRIC) for name in named or (OVERALL,)
    )
    rubric = Rubric(
        style=RubricStyle.NONE,
        title="No rubric",
        dimensions=dimensions,
        raw=_NO_RUBRIC,
    )
    return Form(rubric=rubric, dimensions=dimensions)


def with_dimensions(rubric: Rubric, names: Sequence[str]) -> Rubric:
    """``rubric`` with a bare dimension for each of ``names`` that it lacks."""
    known = {d.name for d in rubric.dimensions}
    bare = tuple(
        Dimension(name=n, text=_NO_DIMENSION if n == OVERALL else "")
        for n in dict.fromkeys(names)
        if n not in known
    )
    if not bare:
        return rubric
    # Not model_copy: it would keep the cached id of the rubric without them.
    fields = {name: getattr(rubric, name) for name in Rubric.model_fields}
    return Rubric.model_validate({**fields, "dimensions": rubric.dimensions + bare})


def answer_to(form: Form, labels: Sequence[OwnLabel]) -> OwnLabel | None:
    """The label that answers a form as it is asked now, or None.

    A label on another wording counts where the structure is the same, since
    then it is the same judgement. Of several, the newest counts.
    """
    asked = {d.name for d in form.dimensions}
    fitting = [
        label
        for label in labels
        if (label.rubric == form.rubric.id or label.structure == form.rubric.structure)
        and (label.dimensions is None or asked <= label.dimensions)
    ]
    return max(fitting, key=lambda label: label.event, default=None)


def state_of(
    forms: Sequence[Form], labels: Sequence[OwnLabel], *, drafted: bool
) -> LabelState:
    """Where a rater stands with a transcript.

    An open draft comes first, so that a change begun and left is found again.
    Labels that answer no form as it is asked now make it REDO: the rubric has
    another structure than the one labelled, or the workspace asks for more.
    """
    if drafted:
        return LabelState.DRAFT
    answers = [answer_to(form, labels) for form in forms]
    if all(answer is not None for answer in answers):
        unscorable = all(a is not None and a.dimensions is None for a in answers)
        return LabelState.NOT_SCORABLE if unscorable else LabelState.DONE
    return LabelState.REDO if labels else LabelState.TODO


def labels_behind(forms: Sequence[Form], labels: Sequence[OwnLabel]) -> list[str]:
    """Event ids of the labels that an edit starts from, oldest first.

    Those that answer the forms; where a form has no answer, every label of the
    transcript, since what still fits of an older structure helps.
    """
    answers = [answer_to(form, labels) for form in forms]
    chosen = [answer for answer in answers if answer is not None]
    if len(chosen) < len(forms):
        chosen = list(labels)
    return sorted({label.event for label in chosen})
