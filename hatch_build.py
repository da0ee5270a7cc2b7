"""How the wheel is built: with TAVLA_COMPILED=1 the modules that every action passes through are compiled by mypyc.

They stand in pyproject.toml, as do the packages that compiling needs; hatch_build.h is added to the C that mypyc
writes. Without the variable nothing happens here, and no compiler is asked for. The sources are in the wheel as ever;
Python takes the extension module beside one.

What compiled code does otherwise than Python, and tests run against it find: a call goes to the function that the
source names, so patching a module, or a class, changes nothing; a pair that is typed as such is made anew when it is
read, so `is` says nothing of it; no method can be replaced on an object; weak references are made to a `Referable`
alone; Python classes inherit from no compiled one. Modules with structs are left out, since classes lose the types of
their fields, by which msgspec decodes; so are those with errors that have a `code` on their class.
"""

import contextlib
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.config import BuilderConfig
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

GROUP = "tavla_engine.compiled"  # one library holds all modules, so that they call each other directly
OWN_HEADER = '#include "__native_internal_compiled.h"\n'  # in what mypyc writes: the last one before its code
MYPY = [
    "--config-file=pyproject.toml",
    "--no-warn-unused-ignores",  # which ones are unused differs by versions
    "--follow-imports=silent",  # what is only imported may import what is not there, as a database's driver
]
# Calls within the library, which is one piece of C, go straight to what they call, and others need no stub.
FLAGS = [] if sys.platform == "win32" else ["-fvisibility=hidden", "-fno-plt"]


class Compile(BuildHookInterface[BuilderConfig]):
    """Adds extension modules to the wheel. `modules`: globs of sources. `requires`: what is needed to compile them."""

    @property
    def _wanted(self) -> bool:
        return os.environ.get("TAVLA_COMPILED", "") not in ("", "0")

    def dependencies(self) -> list[str]:
        """What the build has to have installed."""
        if not self._wanted:
            return []
        project = self.metadata.core  # (What is imported is there too, for its types.)
        return [*self.config["requires"], *project.dependencies, *project.optional_dependencies["server"]]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile into a folder of our own: the sources' folders stay as they are."""
        if not self._wanted:
            return
        if version == "editable":
            raise ValueError("TAVLA_COMPILED is for a wheel: what is compiled does not follow its sources")
        folder = self._folder = tempfile.TemporaryDirectory()
        with contextlib.chdir(self.root):
            files = sorted(str(file) for pattern in self.config["modules"] for file in Path().glob(pattern))
            _compile(files, Path(folder.name))
        built = Path(folder.name, "lib")
        for module in built.rglob("*.*"):
            build_data["force_include"][str(module)] = str(module.relative_to(built))
        build_data["pure_python"], build_data["infer_tag"] = False, True

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """The wheel has what was compiled."""
        if self._wanted:
            self._folder.cleanup()


def _compile(files: list[str], folder: Path) -> None:
    """Extension modules in `folder`/lib, as they stand in a wheel."""
    import setuptools  # before mypyc, which looks whether it is there
    from mypyc.build import mypycify

    arguments = [*MYPY, f"--cache-dir={folder / 'cache'}", *files]
    extensions = mypycify(arguments, target_dir=str(folder / "c"), group_name=GROUP, opt_level="3", debug_level="0")
    for extension in extensions:
        extension.extra_compile_args += FLAGS
    for written in (folder / "c").rglob("__native_compiled.c"):
        code = written.read_text(encoding="utf-8")
        assert OWN_HEADER in code, "mypyc writes another C: see hatch_build.h"
        added = f'#include "{Path("hatch_build.h").resolve().as_posix()}"\n'
        written.write_text(code.replace(OWN_HEADER, OWN_HEADER + added, 1), encoding="utf-8")
    command = setuptools.Distribution({"ext_modules": extensions}).get_command_obj("build_ext")
    command.build_lib, command.build_temp, command.parallel = str(folder / "lib"), str(folder / "o"), True
    command.ensure_finalized()
    command.run()
