"""Runs a Python program that gets sqlite_sandbox when it imports sqlite3.

usage: python -m sqlite_sandbox PROGRAM.py | -m MODULE | -c CODE [ARGUMENT...]
"""

import os
import runpy
import sys

USAGE = __doc__.strip().splitlines()[-1]


def run(kind, argument, rest):
    """Run it as Python would."""
    is_safe = getattr(sys.flags, "safe_path", False) or sys.flags.isolated
    if kind == "-m":
        # runpy replaces the first word with the path of the module.
        sys.argv = ["-m", *rest]
        return runpy.run_module(argument, run_name="__main__", alter_sys=True)
    if kind == "-c":
        sys.argv = ["-c", *rest]
        import __main__

        __main__.__dict__.update(__spec__=None, __package__=None, __file__=None)
        return exec(compile(argument, "<string>", "exec"), __main__.__dict__)
    sys.argv = [argument, *rest]
    directory = os.path.dirname(os.path.realpath(argument))
    if not is_safe:
        # Python has put the working directory there, for `-m`.
        sys.path[0] = directory
    return runpy.run_path(argument, run_name="__main__")


def main():
    """Replace the modules, then run the program."""
    arguments = sys.argv[1:]
    kind = arguments.pop(0) if arguments and arguments[0] in ("-m", "-c") else None
    if not arguments:
        sys.exit(USAGE)
    from sqlite_sandbox import _replace

    os.environ[_replace.VARIABLE] = "1"
    _replace.install()
    run(kind, arguments[0], arguments[1:])


if __name__ == "__main__":
    main()
