"""Which keys toggle the sub-modes and flags of a rubric.

Letters that a screen already uses are never given away, however many
sub-modes there are. A name's own initials come first, so that
"defensive re-verification" tends to be ``d``; when single letters run out, a
lead key followed by a letter goes on without limit of use: 26 more.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from string import ascii_lowercase, ascii_uppercase

LEAD = "'"
"""First key of a two-key sequence."""


def _initials(name: str) -> Iterable[str]:
    words = re.findall(r"[a-z]+", name.lower())
    yield from (word[0] for word in words)


def assign_letters(names: Sequence[str], taken: Collection[str]) -> tuple[str, ...]:
    """A key, or a sequence of two, for each name, in the order of the names.

    Args:
        names: what the keys stand for; may repeat.
        taken: keys that do something else already, as single characters.

    Returns:
        one entry per name: a free letter, or ``LEAD`` and a letter. Beyond
        the last free sequence the entry is "": reachable by the picker only.
    """
    free = [c for c in ascii_lowercase + ascii_uppercase if c not in taken]
    lower = {c for c in free if c in ascii_lowercase}
    given: dict[int, str] = {}
    for index, name in enumerate(names):
        letter = next((c for c in _initials(name) if c in lower), None)
        if letter is not None:
            given[index] = letter
            lower.discard(letter)
    used = set(given.values())
    rest = [c for c in free if c not in used]
    rest += [LEAD + c for c in ascii_lowercase + ascii_uppercase]
    if LEAD in taken:
        rest = [key for key in rest if len(key) == 1]
    queue = iter(rest)
    return tuple(
        given[index] if index in given else next(queue, "")
        for index in range(len(names))
    )
