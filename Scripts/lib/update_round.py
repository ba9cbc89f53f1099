"""Updates a service of an earlier commit to the working tree, as its owner does, and looks for each of the owner's changes.

    update_round.py [--unbuilt] COMMIT [FOLDER]     FOLDER is .build-update by default; it keeps what an earlier commit built

1. A clone of this repository at COMMIT makes the service Orders with the feature Task, by its own scripts. The owner changes it
   (`update_owner.py`), and commits. The server of that day is built and fills a database. Both are kept in FOLDER.
2. The clone goes on to the working tree, and `Scripts/update-from-template` runs, first as a dry run, which must tell the same. What the
   report says to revert it must bring everything back. Then each file is looked at: what the owner did is there, or is a conflict with a
   path and a next step, whose command works. What is gone is as the template made it.
3. Conflicts are settled as the guide says. A second update must find nothing to do. The result passes its tests and checks, its server
   starts with a copy of the database of that day, and serves its rows and the owner's route, and the owner's command counts them.

Prints a line for each and figures at the end; ends with status 1 at the first that is not so. Like Scripts/test-template it builds in
SWIFTPM_BUILD_DIR, if that is set. The first build of an earlier commit takes a quarter of an hour. With --unbuilt neither of both services
is built: it ends after the second update, in some minutes.
"""

import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time

import update_owner
from processes import Failure, end
from service import Service, expect

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
FEATURE = ["Task", "--policy", "offline", "--fields", "title:string(1..200):search due:date?:sort done:bool:filter"]
ROWS = 200
# For the result alone: the scripts of that day would build their tools there, and look for them elsewhere.
BUILD = {name: os.environ.pop(name) for name in ("SWIFTPM_BUILD_DIR",) if name in os.environ}


def run(folder, *command, status=0, seconds=3600, **environment):
    """Its standard output. A status that is none of `status` is a failure."""
    done = subprocess.run(
        command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=seconds, check=False,
        env=os.environ | environment)
    if done.returncode not in (status if isinstance(status, tuple) else (status,)):
        raise Failure(
            f"'{' '.join(command)}' ended with {done.returncode}: {done.stdout.strip()[-1500:]} {done.stderr.strip()[-1500:]}")
    return done.stdout


def git(folder, *words, **options):
    return run(folder, "git", "-c", "user.name=Ada", "-c", "user.email=ada@example.com", *words, **options)


def commit(service, message):
    git(service, "add", "--all")
    git(service, "commit", "--quiet", "--allow-empty", "--message", message)


class Round:
    def __init__(self, commit_name, folder):
        self.commit = git(ROOT, "rev-parse", "--verify", f"{commit_name}^{{commit}}").strip()
        self.folder = os.path.join(os.path.abspath(folder), self.commit[:12])
        self.strata = os.path.join(self.folder, "strata")
        self.service = os.path.join(self.folder, "Orders")
        self.home = os.path.join(self.folder, "home")  # of the server of that day
        self.figures = {}

    def minutes(self, name, began):
        self.figures[name] = f"{(time.monotonic() - began) / 60:.1f} min"

    # The service of that day

    def make(self):
        """The service with its owner's changes. Each run begins with a new one."""
        os.makedirs(self.folder, exist_ok=True)
        if not os.path.exists(self.strata):
            git(self.folder, "clone", "--quiet", "--shared", ROOT, self.strata)
        git(self.strata, "checkout", "--quiet", "--force", self.commit)
        shutil.rmtree(self.service, ignore_errors=True)
        run(self.strata, "Scripts/new-service", "Orders", "--output", self.service, "--features", "none", "--from", self.strata, "--no-git")
        git(self.service, "init", "--quiet")
        commit(self.service, "Start from Strata")
        self.figures["files of a newborn then"] = len(self.tracked())
        lent = os.path.join(self.service, ".build-scaffold")
        shutil.copytree(os.path.join(self.strata, ".build-scaffold"), lent, symlinks=True)
        with open(os.path.join(lent, "root"), "w", encoding="utf-8") as file:
            file.write(f"{self.service}/Strata/Scripts/Scaffold\n")
        run(self.service, "Scripts/new-feature", *FEATURE)
        shutil.rmtree(lent)
        commit(self.service, "Tasks")
        self.applied = [(change, change.apply(self.service)) for change in update_owner.CHANGES]
        commit(self.service, "Ours")
        print(f"    the service of {self.commit[:12]} has {len(self.tracked())} files, and {len(self.applied)} changes of its owner")

    def tracked(self):
        return git(self.service, "ls-files").split()

    def contents(self, path):
        """As the owner committed it."""
        return subprocess.run(
            ["git", "show", f"HEAD:{path}"], cwd=self.service, capture_output=True, check=True, timeout=60).stdout

    def fill(self):
        """The server of that day fills a database, once."""
        kept = os.path.join(self.home, "server.sqlite")
        if os.path.exists(kept):
            return
        began = time.monotonic()
        build = os.path.join(self.folder, "build")
        self.pin()
        words = ["swift", "build", "--scratch-path", build, "--product", "orders-server", "--disable-index-store"]
        done = subprocess.run(words, cwd=self.service, capture_output=True, text=True, timeout=3600, check=False)
        if done.returncode != 0:
            raise Failure(f"The service of that day does not build: {done.stdout[-3000:]}")
        self.minutes("build of the server then", began)
        with Service(os.path.join(build, "debug"), program="orders") as server:
            token = server.token()
            for number in range(ROWS):
                body = {"title": f"Task {number}", "done": number % 4 == 0, "due": "2026-11-30T08:00:00Z"}
                server.call("POST", "/v1/tasks", body, token, {"Idempotency-Key": f"task-{number}"})
            counts = server.call("GET", "/v1/task-counts", token=token)
        expect(
            counts == {"all": ROWS, "done": ROWS // 4}, f"the server of that day stores {ROWS} tasks, and serves the owner's route",
            counts)
        expect(server.process.returncode == 0, "it ends with 0")
        shutil.copytree(server.home, self.home)
        server.remove()

    def pin(self):
        """The versions of dependencies that this repository uses."""
        pins = os.path.join(ROOT, "Package.resolved")
        if os.path.exists(pins):
            shutil.copy(pins, self.service)

    # The update

    def update(self):
        target = git(ROOT, "stash", "create").strip() or git(ROOT, "rev-parse", "HEAD").strip()
        git(self.strata, "checkout", "--quiet", "--force", target)
        words = ["Scripts/update-from-template", "--json"]
        began = time.monotonic()
        dry = json.loads(run(self.service, *words, "--dry-run", status=(0, 65)))
        expect(git(self.service, "status", "--porcelain") == "", "a dry run changes nothing")
        report = json.loads(run(self.service, *words, status=(0, 65)))
        self.minutes("update with its dry run, and the build of the tool", began)
        expect(report["changes"] == dry["changes"], "the update does what its dry run told", report["message"])
        undo = next(line for line in report["next"] if line.startswith("Undo it:")).partition(":")[2].strip()
        run(self.service, "bash", "-c", undo)
        expect(git(self.service, "status", "--porcelain") == "", f"'{undo}' brings everything back")
        report = json.loads(run(self.service, *words, status=(0, 65)))
        verbs = [change["action"] for change in report["changes"]]
        for verb in sorted(set(verbs)):
            self.figures[f"files: {verb}"] = verbs.count(verb)
        return report

    def look(self, report):
        """Nothing of the owner's is lost: it is there, or told."""
        conflicts = {}
        for change in report["changes"]:
            if change["action"] == "conflict":
                path, _, reason = change["path"].partition(": ")
                conflicts[path] = reason
        for path in conflicts:
            step = next((line for line in report["next"] if line.startswith(f"{path}: ")), None)
            if step is None:
                raise Failure(f"The conflict in '{path}' has no next step.")
            shown = re.match(r"'(git (?:diff|show) [^'>]+)", step.partition(": ")[2])
            if shown and not run(self.service, *shlex.split(shown.group(1))).strip():
                raise Failure(f"'{shown.group(1)}' shows nothing.")
        expect(True, f"each of {len(conflicts)} conflicts has a path, and a next step whose command works")

        made = json.loads(self.contents(".template.json"))["files"]
        merged = {change["path"] for change in report["changes"] if change["action"] == "merge"}
        same = theirs = both = 0
        for path in self.tracked():
            if path in (".template.json", "Strata"):
                continue
            before, place = self.contents(path), os.path.join(self.service, path)
            now = None
            if os.path.exists(place):
                with open(place, "rb") as file:
                    now = file.read()
            if now == before:
                same += 1
            elif hashlib.sha256(before).hexdigest() == made.get(path):
                theirs += 1
            elif now is not None and path in merged | set(conflicts):
                both += 1
            else:
                raise Failure(f"'{path}' is not as its owner left it, and nothing tells it.")
        expect(True, f"{same} files are as the owner left them, {both} have both sides, {theirs} were the template's and follow it")
        kept = told = 0
        for change, form in self.applied:
            for step in form:
                if step.is_kept(self.service):
                    kept += 1
                elif step.path in conflicts:
                    told += 1
                else:
                    raise Failure(f"'{change.name}' is lost in '{step.path}', and nothing tells it.")
        expect(True, f"of the owner's steps {kept} are there, and {told} are in conflicts")
        script = update_owner.read(self.service, "Scripts/deploy")
        missed = [change for change in report["changes"] if change["action"] == "missed"]
        isGone = "lib/common.sh" in script and not update_owner.present(self.service, "Scripts/lib/common.sh")
        expect(
            not isGone or any("Scripts/deploy" in change["path"] for change in missed),
            "a file that the owner's script needs is there, or missed", missed)
        return conflicts, [change["path"].partition(": ")[0] for change in missed]

    def settle(self, conflicts, missed):
        for path in missed:
            git(self.service, "checkout", "HEAD", "--", path)
        removed, now, homeless = update_owner.settle(self.service, self.applied, conflicts)
        if removed:
            git(self.service, "rm", "--quiet", "--force", "--ignore-unmatch", *removed)
        for change, form in now:
            for step in form:
                if not step.is_kept(self.service):
                    raise Failure(f"'{change.name}' is not in '{step.path}' after the conflicts were settled.")
        expect(not git(self.service, "grep", "-lE", "^(<<<<<<< here|>>>>>>> template now)", status=(0, 1)), "no mark of a conflict is left")
        print(f"    {len(removed)} files moved by hand; without a place today: {', '.join(homeless) or 'none'}")
        commit(self.service, "Update")
        again = json.loads(run(self.service, "Scripts/update-from-template", "--json"))
        expect(again["changes"] == [], "a second update has nothing to do", again)
        self.figures["files after the update"] = len(self.tracked())
        self.figures["files moved by hand"] = len(removed)

    # The result

    def test(self):
        """Builds and tests the result; returns the folder of its programs."""
        began = time.monotonic()
        # The path of this repository, whose build then has Strata compiled; see Scripts/test-template.
        manifest = update_owner.read(self.service, "Package.swift")
        if 'name: "Strata", path: "Strata"' not in manifest:
            raise Failure("Package.swift of the service has no path of Strata.")
        environment = {"CI": "true", "STRATA_IS_DEPENDENCY": "1"} | BUILD
        update_owner.write(
            self.service, "Package.swift", manifest.replace('name: "Strata", path: "Strata"', f'name: "Strata", path: "{ROOT}"'))
        self.pin()
        try:
            tests = run(self.service, "Scripts/test", **environment).strip().splitlines()[-1]
            expect(re.fullmatch(r"[1-9]\d* passed, 0 failed", tests), f"tests of the result: {tests}", tests)
            self.minutes("build and tests of the result", began)
            run(self.service, "Scripts/check", **environment)
            expect(True, "Scripts/check finds nothing")
            listed = run(self.service, "Scripts/list-features")
            expect("Task (Tasks, offline)" in listed, "Scripts/list-features knows the feature", listed)
            run(self.service, "Scripts/add-field", "Task", "note:text?", "--dry-run")
            expect(True, "Scripts/add-field would add a field to it")
            return run(
                self.service, "swift", "build", "--show-bin-path", SWIFT_DETERMINISTIC_HASHING="1", **environment).strip()
        finally:
            update_owner.write(self.service, "Package.swift", manifest)

    def serve(self, binaries):
        """The database of that day in the new server."""
        server = Service(binaries, program="orders")
        for name in os.listdir(self.home):
            if name.startswith("server.sqlite"):
                shutil.copy(os.path.join(self.home, name), server.home)
        with server:
            token = server.token()
            counts = server.call("GET", "/v1/task-counts", token=token)
            expect(counts == {"all": ROWS, "done": ROWS // 4}, "the new server has the rows of that day, and the owner's route", counts)
            page = server.call("GET", "/v1/tasks?limit=200", token=token)
            expect(len(page["items"]) == ROWS, f"it lists {ROWS} tasks", len(page["items"]))
            server.call("POST", "/v1/tasks", {"title": "New", "done": True}, token, {"Idempotency-Key": "new"})
            program = os.path.join(binaries, "orders-server")
            counted = subprocess.run(
                [program, "count-tasks"], env=server.environment, capture_output=True, text=True, timeout=60, check=False)
            expect(counted.stdout.strip() == f"{ROWS + 1}", "the owner's command counts them, and a new one", counted)
            version = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=60, check=False).stdout
            expect(version.strip() == "2.3.0", "it has the owner's version", version)
        expect(server.process.returncode == 0, "it ends with 0", server.process.returncode)
        server.remove()


def main():
    isBuilt = "--unbuilt" not in sys.argv
    words = [word for word in sys.argv[1:] if word != "--unbuilt"]
    if len(words) not in (1, 2) or words[0].startswith("-"):
        print(__doc__)
        return 0 if words in (["--help"], ["-h"]) else 64
    the = Round(words[0], words[1] if len(words) == 2 else os.path.join(ROOT, ".build-update"))
    try:
        the.make()
        if isBuilt:
            the.fill()
        report = the.update()
        the.settle(*the.look(report))
        if isBuilt:
            the.serve(the.test())
    except Failure as failure:
        print(f"update_round.py: {failure}", file=sys.stderr)
        return 1
    for name, figure in the.figures.items():
        print(f"{name}: {figure}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
