"""The scoring rows of a rubric: band tables, word bands, count ladders."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from geode_tui.domain.rubric import Band, CountRange
from geode_tui.files.rubric_words import count_at_start, score_range
from geode_tui.files.seed_blocks import Block, BlockKind

_SCORE_HEAD = re.compile(r"\bscores?\b|\bpoints?\b", re.I)
_WORD_HEAD = re.compile(r"\b(band|verdict|severity|label|level|rating)s?\b", re.I)
_SUB_HEAD = re.compile(r"sub-?modes?|labels? (fired|triggered)", re.I)
DELTA_HEAD = re.compile(r"\bdeltas?\b|\bpoints? added\b|\badds\b", re.I)
_LADDER = re.compile(
    r"\bN\s*(=|≥|>=|≤|<=|>)\s*(\d+)\s*(?:calls?\s*)?"
    r"(?:(?:is|are|means|counts as|→|:|,)\s*)(?:an?\s+|the\s+)?([^;.,]{2,80})"
)
_SPELLED_LADDER = re.compile(
    r"\b((?:one|two|three|four|five|six|\d{1,2})(?: or more|\+)? calls?)"
    r" (?:is|are|means?) (?:an? |the )?(\w+(?: \w+){0,3})(?=\s*(?:[;.,]|$))",
    re.I,
)


def bands(blocks: Iterable[Block], dimension: str) -> tuple[Band, ...]:
    """The rows of every table that gives a score or a word per count."""
    found: list[Band] = []
    for block in blocks:
        if block.kind is BlockKind.TABLE and block.rows:
            found.extend(_band_rows(block, dimension))
    return tuple(found)


def _band_rows(block: Block, dimension: str) -> list[Band]:
    header = block.rows[0].cells
    if any(DELTA_HEAD.search(cell) for cell in header):
        return []
    scores = _column(header, _SCORE_HEAD)
    words = _column(header, _WORD_HEAD)
    subs = _column(header, _SUB_HEAD)
    if len(header) < 2 or (scores is None and words is None):
        return []
    given = (scores, words, subs)
    tells = next((i for i in range(len(header)) if i not in given), 0)
    counted = counted_in(header[tells])
    rows: list[Band] = []
    for row in block.rows[1:]:
        cell = row.cells[scores] if scores is not None else ""
        score = score_range(cell)
        word = row.cells[words] if words is not None and words != subs else ""
        if scores is not None and score is None and not word:
            word = cell
        rows.append(
            Band(
                dimension=dimension,
                condition=row.cells[tells],
                count=count_at_start(row.cells[tells]),
                counted=counted,
                score=score,
                word=word.strip() or None,
                sub_modes=_blank(row.cells[subs]) if subs is not None else "",
                line=row.line,
            )
        )
    if any(band.count for band in rows):
        return rows if any(band.score or band.word for band in rows) else []
    behaviours = [band.model_copy(update={"counted": None}) for band in rows]
    return behaviours if len(rows) > 1 and all(b.score for b in rows) else []


def _blank(cell: str) -> str:
    return "" if re.fullmatch(r"\W*|none", cell, re.I) else cell


def _column(header: Sequence[str], pattern: re.Pattern[str]) -> int | None:
    """The last column whose head matches; the first one only if no other does."""
    hits = [i for i, cell in enumerate(header) if pattern.search(cell)]
    return hits[-1] if hits else None


def counted_in(text: str) -> str | None:
    """``R`` for calls beyond the floor, ``N`` for all calls."""
    if re.search(r"\bR\b|\b(?i:beyond|extra|additional|redundant|surplus)\b", text):
        return "R"
    if re.search(r"\bN\b|\bcalls?\b|\bnumber\b|\bcount\b", text, re.I):
        return "N"
    return None


SCORING_LEAD = re.compile(
    r"((numeric |judge |per-call )?(scoring|scores?|points|rubric|bands?)\b|per-call"
    r"|count )",
    re.I,
)
_PAIR = re.compile(r"^(.{1,160}?)\s*(?::|→|->|=>|⇒|—|–(?=\s))\s*(?=\S)(.+)$", re.S)


def bullet_bands(
    blocks: Sequence[Block], headings: Mapping[int, str], dimension: str
) -> tuple[Band, ...]:
    """Bands as bullets below a scoring lead: ``R=1: 3-5`` or ``3-5: one extra``.

    ``headings`` maps a block's line to the heading of its section.
    """
    for lead, items in _lists(blocks, headings):
        pairs = [(m.groups(), i) for i in items if (m := _PAIR.match(i.text))]
        if len(pairs) < 2 or len(pairs) < len(items):
            continue
        left = [score_range(one) for (one, _), _ in pairs]
        right = [score_range(two.rstrip(".")) for (_, two), _ in pairs]
        if all(right):
            rows = [
                (one, score, i)
                for ((one, _), i), score in zip(pairs, right, strict=True)
            ]
        elif all(left) and any(s and s.low < s.high for s in left):
            rows = [
                (two, score, i)
                for ((_, two), i), score in zip(pairs, left, strict=True)
            ]
        else:
            continue
        counts = [count_at_start(condition) for condition, _, _ in rows]
        counted = counted_in(" ".join([lead, *(condition for condition, _, _ in rows)]))
        return tuple(
            Band(
                dimension=dimension,
                condition=condition,
                count=count if all(counts) else None,
                counted=counted if all(counts) else None,
                score=score,
                line=item.line,
            )
            for (condition, score, item), count in zip(rows, counts, strict=True)
        )
    return ()


def _lists(
    blocks: Sequence[Block], headings: Mapping[int, str]
) -> Iterator[tuple[str, list[Block]]]:
    """Every scoring lead with the items below it, one list at a time."""
    lead = ""
    depth = 0
    items: list[Block] = []
    for block in blocks:
        inside = block.kind is BlockKind.ITEM and block.depth == depth + 1
        if lead and inside:
            items.append(block)
            continue
        if items:
            yield lead, items
            lead, items = "", []
        heading = headings.get(block.line, "")
        if SCORING_LEAD.match(block.text):
            lead, depth = block.text, block.depth
        elif block.kind is BlockKind.ITEM and SCORING_LEAD.match(heading):
            lead, depth, items = heading, block.depth - 1, [block]
        elif block.kind is not BlockKind.ITEM and block.depth <= depth:
            lead = ""
    if items:
        yield lead, items


def ladder(blocks: Iterable[Block], dimension: str) -> tuple[Band, ...]:
    """Steps in prose: ``N=1`` is ..., ``N>=3`` is ... Two steps at least."""
    found: list[Band] = []
    for block in blocks:
        if block.kind is BlockKind.TABLE:
            continue
        steps = [
            (f"N{sign}{number}", _step(sign, int(number)), word)
            for sign, number, word in _LADDER.findall(block.text)
        ] or [
            (calls, count, word)
            for calls, word in _SPELLED_LADDER.findall(block.text)
            if (count := count_at_start(calls))
        ]
        if len({count.low for _, count, _ in steps}) < 2:
            continue
        for condition, count, word in steps:
            found.append(
                Band(
                    dimension=dimension,
                    condition=condition,
                    count=count,
                    counted="N",
                    word=word.strip(),
                    line=block.line,
                )
            )
    return tuple(found)


def _step(sign: str, number: int) -> CountRange:
    if sign in {"≥", ">="}:
        return CountRange(low=number)
    if sign == ">":
        return CountRange(low=number + 1)
    if sign in {"≤", "<="}:
        return CountRange(low=0, high=number)
    return CountRange(low=number, high=number)


def first_tool(text: str, tools: Sequence[str]) -> str | None:
    """The first tool that a text names."""
    places = [
        (match.start(), tool)
        for tool in tools
        if (match := re.search(rf"(?<![\w]){re.escape(tool)}(?!\w)", text))
    ]
    return min(places)[1] if places else None
