"""A hook of mkdocs: the documents of the repository are the pages of the site, under their own paths."""

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[1]
FOLDERS = ("", "bench", "clients/bots", "clients/web", "deploy", "docs", "docs/decisions", "protocol")
SUFFIXES = (".md", ".gif", ".jpg", ".svg")
FENCE = re.compile(r"^```frame \w+$", re.MULTILINE)  # tests read who sends it; mkdocs knows one word here
LINK = re.compile(r"(?<=\]\()([^)\s]+)(?=\))")


def on_files(files: Files, config: Any) -> Files:
    """Bring the documents and their pictures in."""
    for folder in FOLDERS:
        for file in sorted((ROOT / folder).iterdir()):
            if file.suffix in SUFFIXES:
                path = str(file.relative_to(ROOT))
                files.append(File(path, str(ROOT), config.site_dir, config.use_directory_urls))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Lead links to the page of a document, and those to other files to the repository."""
    folder = posixpath.dirname(page.file.src_uri)

    def led(found: re.Match[str]) -> str:
        link, mark, anchor = found[1].partition("#")
        path = re.sub(rf"^{re.escape(config.repo_url)}/(?:blob|raw)/main/", "/", link)
        if not link or (path == link and ":" in link):
            return found[0]
        path = path[1:] if path.startswith("/") else posixpath.normpath(posixpath.join(folder, path))
        for target in (path, f"{path.rstrip('/')}/README.md"):
            if files.get_file_from_path(target):
                return posixpath.relpath(target, folder or ".") + mark + anchor
        if (ROOT / path).exists():
            return f"{config.repo_url}/blob/main/{path}{mark}{anchor}"
        return found[0]  # which a strict build refuses

    return LINK.sub(led, FENCE.sub("```text", markdown))
