"""The folder of the user where tokens, settings and the log are kept."""

import os
from pathlib import Path

import platformdirs


def config_dir() -> Path:
    """Folder of tokens and settings; TAVLA_CONFIG_DIR goes before the system's own place."""
    folder = os.environ.get("TAVLA_CONFIG_DIR")
    return Path(folder) if folder else platformdirs.user_config_path("tavla", appauthor=False)
