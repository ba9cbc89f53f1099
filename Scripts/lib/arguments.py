"""Arguments of the scripts: a wrong one is refused with 64, before anything is built."""

import argparse
import sys


class Parser(argparse.ArgumentParser):
    """The options of a script such as `Scripts/soak`, whose `--help` is the comment at its top. A wrong one ends it with 64."""

    def __init__(self, script):
        super().__init__(prog=script, add_help=False, allow_abbrev=False)

    def error(self, message):
        print(f"{message.rstrip('.')}; {self.prog.split()[0]} --help lists the options.", file=sys.stderr)
        sys.exit(64)
