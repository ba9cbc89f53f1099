"""Strata's client and server in front of servers from elsewhere, as they come from PyPI and Debian.

    foreign.py [GROUP…] [--client PROGRAM] [--binary DIR] [--keep]

PROGRAM is `foreign` of Docs/Examples/Tests, and DIR has `shiftlog-server` and `shiftlog`, which the group `openid` needs instead. This
interpreter has the packages of foreign/requirements.txt. Each case prints its sentence, and at the end their number; status 1 if one
failed. All servers listen on 127.0.0.1. The folder with their logs stays after a failure, or with --keep.
"""

import shutil
import sys
import tempfile
import traceback

from arguments import Parser
from demo_stage import Interrupted, on_signal
from foreign.connections import NGINX, PROXY
from foreign.openid import OPENID
from foreign.stage import Stage
from foreign.streams import EVENTS
from foreign.tokens import AUTHLIB, TOOLKIT
from processes import Failure

GROUPS = {"toolkit": TOOLKIT, "authlib": AUTHLIB, "events": EVENTS, "proxy": PROXY, "nginx": NGINX, "openid": OPENID}


def parse():
    parser = Parser("Scripts/foreign")
    parser.add_argument("groups", nargs="*")
    parser.add_argument("--client")
    parser.add_argument("--binary")
    parser.add_argument("--keep", action="store_true")
    return parser.parse_intermixed_args()


def tried(case, stage):
    """Why the case failed; `None` if it did not."""
    try:
        case(stage)
    except Failure as failure:
        return str(failure)
    except Exception:  # a fault of a server or of the case itself
        return traceback.format_exc(limit=-3)
    return None


def main():
    options = parse()
    on_signal()
    folder = tempfile.mkdtemp(prefix="foreign-")
    stage, passed, failed = Stage(options.client, options.binary, folder), 0, 0
    try:
        for name in options.groups or GROUPS:
            for case in GROUPS[name]:
                why = tried(case, stage)
                print(f"{name}: {case.__doc__}" if why is None else f"{name}: FAILED {case.__doc__}: {why}", flush=True)
                passed, failed = passed + (why is None), failed + (why is not None)
    except Interrupted as interruption:
        return 128 + interruption.number
    finally:
        stage.close()
        if failed or options.keep:
            print(f"kept: {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
