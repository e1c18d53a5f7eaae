"""Names of the tools that a scenario's texts offer."""

from __future__ import annotations

import re
from collections.abc import Iterable

_SIGNATURE = re.compile(
    r"(?:^[ \t]{0,12}(?:[-*•]|\d{1,3}[.)])[ \t]{0,4}`?|`)"
    r"([A-Za-z_]\w{1,63})\(",
    re.MULTILINE,
)
_CALLED_TOOL = re.compile(r"`([A-Za-z_]\w{1,63})`\s{1,3}tool\b")


def declared_tools(texts: Iterable[str]) -> frozenset[str]:
    """Tools named by signature (``- crm_lookup(customer_id)``) or as "`bash` tool"."""
    found: set[str] = set()
    for text in texts:
        found.update(_SIGNATURE.findall(text))
        found.update(_CALLED_TOOL.findall(text))
    return frozenset(found)
