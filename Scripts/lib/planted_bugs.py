"""Plants bugs in the feature that new ones are copied from; its tests must find each.

Used by Scripts/planted-bugs. A bug is a text of a file and what stands there instead. The files are put back after each
run, also when the run is interrupted.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import time

FEATURE = "Modules/Features/Specimens"

# (part, what is wrong, file, right, wrong, the test that finds it)
BUGS = [
    ("Domain", "a new one is not checked", "Domain/Specimens.swift", "repository.add(specimen.validated())", "repository.add(specimen)", "a value that breaks a rule is refused by its field, and nothing is kept"),
    ("Domain", "an edit is not checked", "Domain/Specimens.swift", "to: specimen.validated(), basedOn", "to: specimen, basedOn", "a value that breaks a rule is refused by its field, and nothing is kept"),
    ("Domain", "a field lost its rule", "Domain/Specimen.swift", r"\.legCount, .within(0...1000)", r"\.legCount", "a value that breaks a rule is refused by its field, and nothing is kept"),
    ("Domain", "a field is lost on the way in", "Domain/Specimen.swift", "self.folkName = folkName", "self.folkName = nil", "look as every earlier version knows them"),
    ("Domain", "a field is no longer unique", "Domain/Specimen.swift", ".line(3...12)).unique", ".line(3...12))", "a value that is taken is refused by its field"),
    ("API", "an edit does not say its version", "API/SpecimenEndpoints.swift", "self.ifMatch = ifMatch\n        self.specimen", "self.ifMatch = nil\n        self.specimen", "are at the paths they always were"),
    ("API", "a path is another one", "API/SpecimenEndpoints.swift", 'Route.post("/v1/specimens")', 'Route.post("/v1/specimen")', "are at the paths they always were"),
    ("Data", "writes have no key", "Data/Remote/RemoteSpecimenRepository.swift", "isWrite ? UUIDv7.string(at: clock.now) : nil", "nil", "a write is named, and based on a version"),
    ("Data", "the list stops after a page", "Data/Remote/RemoteSpecimenRepository.swift", "ListSpecimens(cursor: cursor, limit", "ListSpecimens(cursor: nil, limit", "all pages are walked in order"),
    ("Data", "the list is kept for everybody", "Data/Cached/CachedSpecimenRepository.swift", "CacheKey(principal: principal, path: Specimen.collection)", 'CacheKey(principal: "", path: Specimen.collection)', "another principal sees nothing of it"),
    ("Data", "one is kept for everybody", "Data/Cached/CachedSpecimenRepository.swift", 'CacheKey(principal: principal, path: "\\(Specimen', 'CacheKey(principal: "", path: "\\(Specimen', "another principal sees nothing of it"),
    ("Data", "an own write is not seen", "Data/Cached/CachedSpecimenRepository.swift", "        await note(id, stored)\n", "", "an own write is seen at once, also in an outage right after it"),
    ("Data", "what somebody changed stays", "Data/Cached/CachedSpecimenRepository.swift", "case .conflict, .notFound: await reader.invalidate(tag: Specimen.collection)", "case .conflict, .notFound: break", "what somebody else changed is asked for again"),
    ("Data", "an edit is not queued", "Data/Offline/OfflineSpecimenRepository.swift", "        try await store.update(id, to: specimen)\n", "", "an edit of any field arrives, and so does its removal"),
    ("Data", "a removal is not queued", "Data/Offline/OfflineSpecimenRepository.swift", "        try await store.remove(id)\n", "", "what is written here arrives there, whole and once"),
    ("Data", "nothing is asked for", "Data/Offline/OfflineSpecimenRepository.swift", "case .refresh, .mustAsk: try await sync()", "case .refresh, .mustAsk: break", "what is written here arrives there, whole and once"),
    ("Service", "If-Match is not looked at", "Service/SpecimensService.swift", "to: call.specimen, matching: call.ifMatch", "to: call.specimen, matching: try table.entity(call.id, in: store).entityTag", "an edit needs the version it is based on"),
    ("Service", "a removal needs no version", "Service/SpecimensService.swift", "table.delete(call.id, matching: call.ifMatch", "table.delete(call.id, matching: try table.entity(call.id, in: store).entityTag", "a removal needs the version it is based on"),
    ("Service", "anybody may read", "Service/SpecimensService.swift", "GetSpecimen.self, for: .users", "GetSpecimen.self, for: .anyone", "a machine is forbidden, and nobody is asked to log in"),
    ("Service", "machines may write", "Service/SpecimensService.swift", "CreateSpecimen.self, for: .users", "CreateSpecimen.self, for: .usersAndHosts", "a machine is forbidden, and nobody is asked to log in"),
    ("Service", "a column is missing", "Service/Specimen+Table.swift", "            spot_count BIGINT,\n", "", "what is created comes back as it was sent, wherever it is read"),
    ("Service", "nothing is synchronised", "Service/Offline/SpecimensService+Sync.swift", "{ [Specimen.table] }", "{ [] }", "what is written here arrives there, whole and once"),
    ("Presentation", "an option is not used", "Presentation/Commands/SpecimenEditCommands.swift", "            if let spotCount { specimen.spotCount = spotCount }\n", "", "an edit changes every field that is given"),
    ("Presentation", "a value goes to another field", "Presentation/Commands/SpecimenAddCommand.swift", "labNotes: labNotes", "labNotes: fieldNotes", "what is added has every field as it was given"),
    ("Presentation", "nothing is cleared", "Presentation/Commands/SpecimenEditCommands.swift", "specimen.clearing(clear)", "specimen.clearing([])", "an edit can take a value away"),
    ("Presentation", "a failure ends well", "Presentation/Commands/SpecimenReadCommands.swift", "else { throw await model.error ?? DomainError.cancelled }", "else { return }", "each kind of failure has its exit status"),
    ("Presentation", "--refresh is not heard", "Presentation/Commands/SpecimenReadCommands.swift", "model.load(reading.policy(options))", "model.load()", "a read uses what is kept unless it is told otherwise"),
]


# What most tests stand on.
ALONE = {"a column is missing", "nothing is synchronised"}


def rounds(bugs, is_alone):
    """Bugs of different files go together: a test that finds each is named, and a build is what takes the time.

    Bugs that would hide each other, by making nearly every test fail, go alone.
    """
    waiting = list(bugs)
    while waiting:
        first = waiting[0]
        chosen = [first]
        if not is_alone and first[1] not in ALONE:
            for bug in waiting[1:]:
                is_free = all(bug[2] != other[2] and bug[5] != other[5] for other in chosen)
                if is_free and bug[1] not in ALONE:
                    chosen.append(bug)
        waiting = [bug for bug in waiting if bug not in chosen]
        yield chosen


def failed_tests(root, log):
    """The names of the tests that failed; `None` when nothing could be built."""
    build = ["swift", "build", "--package-path", root, "--product", "StrataPackageTests"]
    if subprocess.run(build, stdout=log, stderr=subprocess.STDOUT, timeout=900).returncode != 0:
        return None
    test = ["swift", "test", "--package-path", root, "--skip-build", "--no-parallel", "--disable-xctest"]
    done = subprocess.run(test, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=900, text=True)
    log.write(done.stdout)
    log.flush()
    return set(re.findall(r'Test "([^"]*)" (?:with \d+ test cases? )?failed after', done.stdout))


def main():
    parser = argparse.ArgumentParser(usage="Scripts/planted-bugs [--only WORDS] [--alone] [--list]")
    parser.add_argument("--root", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--only", default="", help="bugs whose part or description has these words")
    parser.add_argument("--alone", action="store_true", help="plant one at a time")
    parser.add_argument("--list", action="store_true", help="print them with the test that finds each, and do nothing")
    options = parser.parse_args()
    bugs = [bug for bug in BUGS if options.only in f"{bug[0]}: {bug[1]}"]
    if options.list:
        for part, wrong, _, _, _, test in bugs:
            print(f"{part}: {wrong}: '{test}'")
        return 0
    missed = 0
    with open(pathlib.Path(options.root) / ".build" / "planted-bugs.log", "w") as log:
        for planted in rounds(bugs, options.alone):
            missed += plant(planted, pathlib.Path(options.root), log)
    print(f"{len(bugs) - missed} of {len(bugs)} planted bugs were found by the test for them")
    return 1 if missed else 0


def plant(bugs, root, log):
    """How many were not found."""
    texts = {}
    start = time.monotonic()
    try:
        for part, description, name, right, wrong, _ in bugs:
            path = root / FEATURE / name
            text = path.read_text()
            if text.count(right) != 1:
                raise SystemExit(f"{part}: {description}: '{name}' does not have '{right.strip()}' once")
            texts[path] = text
            path.write_text(text.replace(right, wrong))
        failed = failed_tests(str(root), log)
    finally:
        for path, text in texts.items():
            path.write_text(text)
    missed = 0
    for part, description, _, _, _, test in bugs:
        outcome = "does not build" if failed is None else f"found by '{test}'" if test in failed else "not found"
        missed += not outcome.startswith("found")
        print(f"{'✔' if outcome.startswith('found') else '✘'} {part}: {description}: {outcome}", flush=True)
    print(f"  ({time.monotonic() - start:.0f} s)", flush=True)
    return missed


if __name__ == "__main__":
    sys.exit(main())
