"""A hook of hatchling: the long description is README.md, with links that lead to the repository."""

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

RELATIVE = re.compile(r"(!?)(\[[^\]]*\]\()(?!https?:|#)([^)]+\))")


class LongDescription(MetadataHookInterface):
    """A long description, for an index. The address of the repository is the project's `Homepage`."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Fill in `readme`."""
        home = metadata["urls"]["Homepage"]
        text = Path(self.root, "README.md").read_text("utf-8")

        def absolute(link: re.Match[str]) -> str:
            return f"{link[1]}{link[2]}{home}/{'raw' if link[1] else 'blob'}/main/{link[3]}"

        metadata["readme"] = {"content-type": "text/markdown", "text": RELATIVE.sub(absolute, text)}
