"""Adds sqlite_sandbox.pth, which setuptools has no setting for."""

from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

NAME = "sqlite_sandbox.pth"


class WithPth(build_py):
    """The modules, and the file next to them."""

    def run(self):
        super().run()
        self.copy_file(NAME, str(Path(self.build_lib, NAME)))

    def get_outputs(self, include_bytecode=True):
        return [*super().get_outputs(include_bytecode), str(Path(self.build_lib, NAME))]


setup(cmdclass={"build_py": WithPth})
