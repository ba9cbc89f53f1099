"""Rehearses a release: Scripts/release in a temporary clone of HEAD, its refusals, its tag, a push, and a package that depends on it.

    release_rehearsal.py                       the refusals, the release, and the push into a bare repository; half a minute
    release_rehearsal.py --resolve             also resolves README's first package against that repository
    release_rehearsal.py --scratch-path PATH   also builds that package in PATH and runs its program; the first build takes ten minutes

Nothing of the repository changes. Changes that are not committed are not rehearsed. In the clone, a commit replaces what needs a build
of all programs: Scripts/package, Scripts/record, and the comparison of the public API. All else is Scripts/release as it is.

README's URL leads to the bare repository by settings of git in the environment (`url.….insteadOf`), so the manifest is README's, letter
for letter. Exit status 1, with a line for each difference.
"""

import glob
import http.server
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading

import check_door
from release_rules import CHANGELOG, DEPENDENCY, MANIFESTS, ROOT, changelog_faults, parsed, stated

# What stands in for the parts that build. A package has a line as content, so that SHA256SUMS has something to sum.
STAND_INS = {
    "Scripts/package": '#!/usr/bin/env bash\nset -euo pipefail\necho deb >"$2/shiftlog_rehearsal.deb"\n'
                       'echo tar >"$2/shiftlog-rehearsal.tar.gz"\n',
    "Scripts/record": "#!/usr/bin/env bash\n",
    "Scripts/lib/check_api.py": "",
}
# A file with a migration, which must not change once it is released.
TABLES = "Modules/Service/Core/Tables/ChangeLog.swift"
FIRST = r"`Package\.swift`[^\n]*\n\n```swift\n(.*?)```"


class Rehearsal:
    def __init__(self, folder):
        self.clone, self.bare, self.user = (os.path.join(folder, name) for name in ("clone", "strata.git", "stars"))
        self.faults = []

    def git(self, *arguments, cwd=None):
        done = subprocess.run(["git", *arguments], cwd=cwd or self.clone, capture_output=True, text=True, timeout=120, check=False)
        if done.returncode != 0:
            raise SystemExit(f"'git {' '.join(arguments)}' fails: {done.stderr.strip()}")
        return done.stdout.strip()

    def path(self, name):
        return os.path.join(self.clone, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def expect(self, holds, sentence):
        if not holds:
            self.faults.append(sentence)

    # MARK: Release

    def prepare(self):
        """Clones HEAD, replaces what builds, and returns the version to release."""
        self.git("clone", "--quiet", ROOT, self.clone, cwd=ROOT)
        self.git("checkout", "--quiet", "-B", "rehearsal")
        for setting in ("user.name=Rehearsal", "user.email=rehearsal@example.com", "commit.gpgSign=false", "tag.gpgSign=false"):
            self.git("config", *setting.split("=", 1))
        for name, text in STAND_INS.items():
            self.write(name, text)
        version = stated()
        while self.git("tag", "--list", version):
            version = following(version)
        if changelog_faults(self.read(CHANGELOG), version):
            self.write(CHANGELOG, self.read(CHANGELOG).replace("## [Unreleased]\n", "## [Unreleased]\n\n- A rehearsal.\n", 1))
        self.git("commit", "--quiet", "--all", "--message", "Replace what builds, for a rehearsal")
        self.git("init", "--quiet", "--bare", self.bare)
        return version

    def state(self):
        """What a refusal must leave as it was."""
        return self.git("rev-parse", "HEAD"), self.git("status", "--porcelain"), self.git("tag", "--list")

    def release(self, *arguments):
        """The exit status of Scripts/release, and what it printed."""
        done = subprocess.run(
            [self.path("Scripts/release"), *arguments], cwd=self.clone, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            timeout=120, check=False)
        return done.returncode, done.stdout

    def expect_refusal(self, reason, *arguments):
        before = self.state()
        status, output = self.release(*arguments)
        self.expect(status == 1 and reason in output, f"Expected a refusal with '{reason}'; status {status}: {output.strip()}")
        self.expect(self.state() == before, f"After the refusal '{reason}' the repository is not as before.")

    def run_release(self, version):
        done = "true"
        self.write("forgotten.txt", "")
        self.expect_refusal("The tree has changes (1 files); commit or stash them.", "--checks", done, version)
        os.remove(self.path("forgotten.txt"))
        self.expect_refusal("is not a semantic version", "--checks", done, f"v{version}")
        self.expect_refusal(f"A check is red; {version} is not released.", "--checks", "false", version)
        status, output = self.release("--dry-run", version)
        self.expect(status == 0 and f"state {version} in" in output, f"The dry run ends with status {status}: {output.strip()}")
        head = self.git("rev-parse", "HEAD")

        status, output = self.release("--checks", done, version)
        if status != 0:
            raise SystemExit("\n".join(self.faults + [f"Scripts/release ends with status {status}: {output.strip()}"]))
        self.expect(self.git("cat-file", "-t", version) == "tag", f"The tag '{version}' is not annotated.")
        self.expect(self.git("rev-parse", f"{version}^{{commit}}^") == head, f"'{version}' is not one commit behind HEAD.")
        self.expect("## Checksums" in self.git("tag", "--list", "--format=%(contents)", version), "The tag has no checksums.")
        self.expect(self.git("status", "--porcelain") == "", "The release leaves changes in the tree.")
        for page in MANIFESTS:
            found = [line[0] for line in DEPENDENCY.finditer(self.git("show", f"{version}:{page}"))]
            self.expect(
                found and all(line.endswith(f'from: "{version}"') for line in found), f"{page} of {version} depends on {found}.")
        self.expect_refusal(f"The tag '{version}' exists; choose a greater version.", "--checks", done, version)
        self.expect_refusal("the section 'Unreleased' is empty", "--checks", done, following(version))

        tables = self.read(TABLES)
        self.write(TABLES, tables.replace("ADD COLUMN owner TEXT", "ADD COLUMN owner TEXT NOT NULL", 1))
        self.expect_refusal(f"is not as {version} released it", "--checks", done, following(version))
        self.write(TABLES, tables)

        publish = re.search(r"^Publish it: git (push) REMOTE (\S+) (\S+)$", output, re.MULTILINE)
        if not publish:
            raise SystemExit(f"Scripts/release prints no line that publishes: {output.strip()}")
        self.git(publish[1], "--quiet", self.bare, publish[2], publish[3])
        self.expect(
            self.git("ls-remote", "--tags", self.bare, version).endswith(f"refs/tags/{version}"),
            f"The bare repository has no tag '{version}'.")

    # MARK: A package that depends on it

    def write_user(self, version):
        """README's first package, as the tag has it; its program takes the address as argument. Returns the URL of Strata."""
        readme = self.git("show", f"{version}:README.md") + "\n"
        manifest = re.search(FIRST, readme, re.DOTALL)
        start, (address, *_) = check_door.PROGRAMS["stars"]
        program = re.search(start + r"```swift\n(.*?)```", readme, re.DOTALL)
        if not manifest or not program or address not in program[1]:
            raise SystemExit("README's first manifest or program is not found; has its spelling changed?")
        os.makedirs(os.path.join(self.user, "Sources", "stars"))
        self.write(os.path.join(self.user, "Package.swift"), manifest[1])
        self.write(os.path.join(self.user, "Sources", "stars", "main.swift"), program[1].replace(address, "CommandLine.arguments[1]"))
        # The versions of the libraries are ours, so that the package manager takes them from its cache. Strata itself is resolved.
        if os.path.exists(os.path.join(ROOT, "Package.resolved")):
            shutil.copy(os.path.join(ROOT, "Package.resolved"), self.user)
        return re.search(r'url: "([^"]*/strata\.git)"', manifest[1])[1]

    def swift(self, seconds, action, url, scratch):
        # Behind the settings that the environment has already.
        count = int(os.environ.get("GIT_CONFIG_COUNT", "0"))
        environment = os.environ | {
            "GIT_CONFIG_COUNT": str(count + 1), f"GIT_CONFIG_KEY_{count}": f"url.file://{self.bare}.insteadOf",
            f"GIT_CONFIG_VALUE_{count}": url,
        }
        # The tag of an earlier rehearsal is another commit, so no copy and no fingerprint of it may be left.
        done = subprocess.run(
            ["swift", *action, "--package-path", self.user, "--scratch-path", scratch, "--disable-dependency-cache",
             "--security-path", os.path.join(self.user, ".security")],
            env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=seconds, check=False)
        if done.returncode != 0:
            errors = sorted({line for line in done.stdout.splitlines() if "error:" in line})
            raise SystemExit("\n".join(errors[:40]) or done.stdout[-2000:])
        return done.stdout

    def resolve(self, version, scratch):
        url = self.write_user(version)
        for old in glob.glob(os.path.join(scratch, "repositories", "strata-*")) + [os.path.join(scratch, "checkouts", "strata")]:
            shutil.rmtree(old, ignore_errors=True)
        if os.path.exists(os.path.join(scratch, "workspace-state.json")):
            os.remove(os.path.join(scratch, "workspace-state.json"))
        self.swift(900, ["package", "resolve"], url, scratch)
        resolved = self.read(os.path.join(self.user, "Package.resolved"))
        tagged = self.git("rev-parse", f"{version}^{{commit}}")
        self.expect(
            f'"{tagged}"' in resolved and f'"version" : "{version}"' in resolved,
            f"Package.resolved does not have {version} ({tagged}): {resolved}")
        return url

    def build(self, url, scratch):
        """Builds README's first program and runs it with a server and without one."""
        self.swift(3600, ["build", "--product", "stars"], url, scratch)
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), check_door.Answer)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        check_door.SCRATCH = scratch
        for address, wanted in (
            (f"http://127.0.0.1:{server.server_address[1]}", "swiftlang/swift 7"),
            ("http://127.0.0.1:9", "GET /repos/swiftlang/swift: no connection: connection refused (after 3 attempts)"),
        ):
            found = check_door.run("stars", address)
            self.expect(found == wanted, f"Expected '{wanted}', got '{found}'.")
            print(f"stars {address} prints: {found}", file=sys.stderr)
        server.shutdown()


def following(version):
    """A greater version: the last number of the pre-release, or the patch, plus one."""
    number = re.search(r"(\d+)$", version)
    after = version[:number.start()] + str(int(number[1]) + 1) if number else f"{version}.1"
    assert parsed(after) > parsed(version)
    return after


def main(arguments):
    scratch = None
    match arguments:
        case [] | ["--resolve"]:
            pass
        case ["--scratch-path", path]:
            scratch = os.path.abspath(path)
        case _:
            raise SystemExit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        rehearsal = Rehearsal(folder)
        version = rehearsal.prepare()
        rehearsal.run_release(version)
        if arguments:
            url = rehearsal.resolve(version, scratch or os.path.join(folder, "scratch"))
            if scratch:
                rehearsal.build(url, scratch)
    print("\n".join(rehearsal.faults), end="\n" if rehearsal.faults else "")
    return 1 if rehearsal.faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
