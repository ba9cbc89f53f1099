"""Plants one bug after the other in the feature that new ones are copied from; its tests must find each.

Used by Scripts/planted-bugs. A bug is a text of a file and what stands there instead. The file is put back after each
run, also when the run is interrupted.
"""

import argparse
import pathlib
import subprocess
import sys
import time

FEATURE = "Modules/Features/Specimens"

# (part, what is wrong, file, right, wrong)
BUGS = [
    ("Domain", "a new one is not checked", "Domain/Specimens.swift", "repository.add(specimen.validated())", "repository.add(specimen)"),
    ("Domain", "an edit is not checked", "Domain/Specimens.swift", "to: specimen.validated(), basedOn", "to: specimen, basedOn"),
    ("Domain", "a field lost its rule", "Domain/Specimen.swift", r"\.legCount, .within(0...1000)", r"\.legCount"),
    ("Domain", "a field is lost on the way in", "Domain/Specimen.swift", "self.folkName = folkName", "self.folkName = nil"),
    ("Domain", "a field is no longer unique", "Domain/Specimen.swift", ".line(3...12)).unique", ".line(3...12))"),
    ("API", "an edit does not say its version", "API/SpecimenEndpoints.swift", "self.ifMatch = ifMatch\n        self.specimen", "self.ifMatch = nil\n        self.specimen"),
    ("API", "a path is another one", "API/SpecimenEndpoints.swift", 'Route.post("/v1/specimens")', 'Route.post("/v1/specimen")'),
    ("Data", "writes have no key", "Data/Remote/RemoteSpecimenRepository.swift", "isWrite ? UUIDv7.string(at: clock.now) : nil", "nil"),
    ("Data", "the list stops after a page", "Data/Remote/RemoteSpecimenRepository.swift", "ListSpecimens(cursor: cursor, limit", "ListSpecimens(cursor: nil, limit"),
    ("Data", "the list is kept for everybody", "Data/Cached/CachedSpecimenRepository.swift", "CacheKey(principal: principal, path: Specimen.collection)", 'CacheKey(principal: "", path: Specimen.collection)'),
    ("Data", "one is kept for everybody", "Data/Cached/CachedSpecimenRepository.swift", 'CacheKey(principal: principal, path: "', 'CacheKey(principal: "", path: "'),
    ("Data", "an own write is not seen", "Data/Cached/CachedSpecimenRepository.swift", "        await note(id, stored)\n", ""),
    ("Data", "what somebody changed stays", "Data/Cached/CachedSpecimenRepository.swift", "case .conflict, .notFound: await reader.invalidate(tag: Specimen.collection)", "case .conflict, .notFound: break"),
    ("Data", "an edit is not queued", "Data/Offline/OfflineSpecimenRepository.swift", "        try await store.update(id, to: specimen)\n", ""),
    ("Data", "a removal is not queued", "Data/Offline/OfflineSpecimenRepository.swift", "        try await store.remove(id)\n", ""),
    ("Data", "nothing is asked for", "Data/Offline/OfflineSpecimenRepository.swift", "case .refresh, .mustAsk: try await sync()", "case .refresh, .mustAsk: break"),
    ("Service", "If-Match is not looked at", "Service/SpecimensService.swift", "to: call.specimen, matching: call.ifMatch", "to: call.specimen, matching: try table.entity(call.id, in: store).entityTag"),
    ("Service", "a removal needs no version", "Service/SpecimensService.swift", "table.delete(call.id, matching: call.ifMatch", "table.delete(call.id, matching: try table.entity(call.id, in: store).entityTag"),
    ("Service", "anybody may read", "Service/SpecimensService.swift", "GetSpecimen.self, for: .users", "GetSpecimen.self, for: .anyone"),
    ("Service", "machines may write", "Service/SpecimensService.swift", "CreateSpecimen.self, for: .users", "CreateSpecimen.self, for: .usersAndHosts"),
    ("Service", "a column is missing", "Service/Specimen+Table.swift", "            spot_count BIGINT,\n", ""),
    ("Service", "nothing is synchronised", "Service/Offline/SpecimensService+Sync.swift", "{ [Specimen.table] }", "{ [] }"),
    ("Presentation", "an option is not used", "Presentation/Commands/SpecimenEditCommands.swift", "            if let spotCount { specimen.spotCount = spotCount }\n", ""),
    ("Presentation", "a value goes to another field", "Presentation/Commands/SpecimenAddCommand.swift", "labNotes: labNotes", "labNotes: fieldNotes"),
    ("Presentation", "nothing is cleared", "Presentation/Commands/SpecimenEditCommands.swift", "specimen.clearing(clear)", "specimen.clearing([])"),
    ("Presentation", "a failure ends well", "Presentation/Commands/SpecimenReadCommands.swift", "else { throw await model.error ?? DomainError.cancelled }", "else { return }"),
    ("Presentation", "--refresh is not heard", "Presentation/Commands/SpecimenReadCommands.swift", "model.load(reading.policy(options))", "model.load()"),
]


def tests_pass(root, log):
    build = ["swift", "build", "--package-path", root, "--product", "StrataPackageTests"]
    test = ["swift", "test", "--package-path", root, "--skip-build", "--no-parallel", "--disable-xctest"]
    for command in (build, test):
        done = subprocess.run(command, stdout=log, stderr=subprocess.STDOUT, timeout=900)
        if done.returncode != 0:
            return False, "does not build" if command is build else "found"
    return True, "not found"


def main():
    parser = argparse.ArgumentParser(usage="Scripts/planted-bugs [--only WORDS] [--list]")
    parser.add_argument("--root", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--only", default="", help="bugs whose part or description has these words")
    parser.add_argument("--list", action="store_true", help="print them and do nothing")
    options = parser.parse_args()
    bugs = [bug for bug in BUGS if options.only in f"{bug[0]}: {bug[1]}"]
    if options.list:
        for part, wrong, *_ in bugs:
            print(f"{part}: {wrong}")
        return 0
    missed = 0
    with open(pathlib.Path(options.root) / ".build" / "planted-bugs.log", "w") as log:
        for part, description, name, right, wrong in bugs:
            path = pathlib.Path(options.root) / FEATURE / name
            text = path.read_text()
            if text.count(right) != 1:
                print(f"✘ {part}: {description}: '{name}' does not have its text once", flush=True)
                missed += 1
                continue
            start = time.monotonic()
            try:
                path.write_text(text.replace(right, wrong))
                passed, outcome = tests_pass(options.root, log)
            finally:
                path.write_text(text)
            missed += outcome != "found"
            print(f"{'✔' if outcome == 'found' else '✘'} {part}: {description}: {outcome} ({time.monotonic() - start:.0f} s)", flush=True)
    print(f"{len(bugs) - missed} of {len(bugs)} planted bugs were found by a test")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
