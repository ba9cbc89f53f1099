"""Plants bugs in the entity library and the example feature; the tests must find each.

Used by Scripts/planted-bugs. A bug replaces a text of a file by another one. The files are restored after each round, even
if it is interrupted.
"""

import pathlib
import re
import subprocess
import sys
import time

from arguments import Parser

REVALIDATION = "Modules/Domain/Entities/RevalidatingRepository.swift"
CACHED = "Modules/Data/Caching/Reading/CachedEntityRepository.swift"
LISTS = "Modules/Service/Core/Tables/EntityTable+List.swift"
TABLE = "Modules/Service/Core/Tables/SyncedTable.swift"
SCOPE = "Modules/Service/Core/Sync/SyncScope.swift"
VISIBILITY = "Modules/Service/Core/Visibility/Visibility.swift"
SAME = "a query has the same list from the server, the cache, the offline store and in memory"
CONTRACT = "specimens keep the contract of an entity"
PRIVATE = "rows of their author keep the contract"
OFFLINE = "Modules/Data/Offline/Store/OfflineEntityRepository.swift"
ROUTES = "Modules/Service/Core/Endpoints/EntityTable+Feature.swift"

# (part, what is wrong, file, right, wrong, the test that finds it)
BUGS = [
    ("Domain", "a new one is not checked", "Modules/Domain/Entities/EntityUseCases.swift", "repository.create(content.validated())", "repository.create(content)", "a value that breaks a rule is refused by its field, and nothing is kept"),
    ("Domain", "an edit is not checked", "Modules/Domain/Entities/EntityUseCases.swift", "to: content.validated(), basedOn", "to: content, basedOn", "a value that breaks a rule is refused by its field, and nothing is kept"),
    ("Domain", "a field lost its rule", "Modules/Features/Specimens/Domain/Specimen.swift", r"\.legCount, .within(0...1000)", r"\.legCount", "a value that breaks a rule is refused by its field, and nothing is kept"),
    ("Domain", "a field has another name", "Modules/Features/Specimens/Domain/Specimen.swift", '.init("folk_name"', '.init("folks_name"', CONTRACT),
    ("Domain", "a field is no longer unique", "Modules/Features/Specimens/Domain/Specimen.swift", ".line(3...12)).unique", ".line(3...12))", "a value that is taken is refused by its field"),
    ("Domain", "an update does not say its version", "Modules/Domain/Entities/EntityEndpoints.swift", "self.ifMatch = ifMatch.map(IfMatch.init)\n        self.content", "self.ifMatch = nil\n        self.content", "are at the paths they always were"),
    ("Domain", "a path is another one", "Modules/Domain/Entities/EntityEndpoints.swift", '.post("/v1/\\(Content.path)")', '.post("/v1/\\(Content.noun)")', "are at the paths they always were"),
    ("Domain", "writes have no key", "Modules/Domain/Entities/RemoteEntityRepository.swift", "isWrite ? WriteKey.current ?? UUIDv7.string(at: clock.now) : nil", "nil", "a write is named, and based on a version"),
    ("Domain", "the list stops after a page", REVALIDATION, "let call = ListEntities<Content>(page, cursor: cursor)", "let call = ListEntities<Content>(page, cursor: nil)", "all pages are walked in order"),
    ("Domain", "a list that changed counts as confirmed", REVALIDATION, "list.pages == known?.pages ? .unchanged", "known != nil ? .unchanged", "only the page that changed is sent, and the next condition names it"),
    ("Caching", "the list is shared by principals", CACHED, 'principal: principal, path: "/v1/\\(Content.path)", query', 'principal: "", path: "/v1/\\(Content.path)", query', "another principal sees nothing of it"),
    ("Caching", "an item is shared by principals", CACHED, 'principal: principal, path: "/v1/\\(Content.path)/', 'principal: "", path: "/v1/\\(Content.path)/', "another principal sees nothing of it"),
    ("Caching", "an own write is not seen", CACHED, "        await note(id, stored)\n", "", "an own write is seen at once, also in an outage right after it"),
    ("Caching", "a conflict keeps the stale copy", CACHED, "case .conflict: break", "case .conflict: return", "after a conflict the entity is asked for again, and the list is still shown in an outage"),
    ("Caching", "a list with an own write keeps its tags", CACHED, "            if copy.items != stored.list.value.items { copy.pages = nil }\n", "", "a list with an own write has no tag, and one after a lost write still has"),
    ("Offline", "an edit is not queued", OFFLINE, "        try await store.update(id, to: content)\n", "", "an edit of any field arrives, and so does its removal"),
    ("Offline", "a removal is not queued", OFFLINE, "        try await store.remove(id)\n", "", "what is written here arrives there, whole and once"),
    ("Offline", "a refresh does not synchronise", OFFLINE, "case .refresh, .mustAsk: try await sync()", "case .refresh, .mustAsk: break", "what is written here arrives there, whole and once"),
    ("Service", "If-Match is not looked at", ROUTES, "to: call.content, matching: call.ifMatch", "to: call.content, matching: IfMatch(try entity(call.id, for: scope.caller(), in: store).entityTag)", CONTRACT),
    ("Service", "anybody may read", ROUTES, "GetEntity<Content>.self, for: .users", "GetEntity<Content>.self, for: .anyone", CONTRACT),
    ("Service", "machines may write", ROUTES, "CreateEntity<Content>.self, for: hooks.creators", "CreateEntity<Content>.self, for: .usersAndHosts", "a machine is forbidden, and nobody is asked to log in"),
    ("Service", "a column is missing", ROUTES, "let columns = fields.map {\n", "let columns = fields.dropLast().map {\n", CONTRACT),
    ("Service", "nothing is synchronised", "Modules/Features/Specimens/Service/Offline/SpecimensService+Sync.swift", "{ [table] }", "{ [] }", "what is written here arrives there, whole and once"),
    ("Terminal", "an option is not used", "Modules/Terminal/Entities/EntityCommands.swift", "var given = try await entities.resolved(fields.values(console))\n        for name in try clear", 'var given = try await entities.resolved(fields.values(console)).filter { $0.key != "spot_count" }\n        for name in try clear', "an edit changes every field that is given"),
    ("Terminal", "a value goes to another field", "Modules/Terminal/Entities/EntityOptions.swift", "container.decode(Option<JSONValue?>.self, forKey: key)", 'container.decode(Option<JSONValue?>.self, forKey: field.name == "lab_notes" ? FieldKey("folk_name") : key)', "what is added has every field as it was given"),
    ("Terminal", "nothing is cleared", "Modules/Terminal/Entities/EntityCommands.swift", "for name in try clear.map", "for name in try clear.prefix(0).map", "an edit can take a value away"),
    ("Terminal", "--refresh is not heard", "Modules/Terminal/Entities/EntityCommands.swift", "entities.reduce(query, reading.policy(options), into", "entities.reduce(query, into", "a read uses what is kept unless it is told otherwise"),
    ("Lists", "a query shows the list of another", CACHED, 'Content.path)", query: query.items)', 'Content.path)")', "each query has its own place in the cache, and a write invalidates all"),
    ("Lists", "a query takes the cursor of another", LISTS, "guard !query.isComplete else", "guard query.sort != nil, query.isComplete else", "a cursor belongs to its filters, search and order"),
    ("Lists", "a search has wildcards", LISTS, '.replacing("%", with: "\\\\%")', "", SAME),
    ("Lists", "rows without a value come first", "Modules/Domain/Entities/EntityQuery+Entities.swift", "return other.value == .null", "return one.value == .null", SAME),
    ("Lists", "a filter has no index", ROUTES, "$0.isFilterable && !$0.kind.isList || $0.isSortable || $0.name == order", "$0.name.isEmpty && $0.name == order", "each order and each filter reads an index and sorts nothing"),
    ("Hooks", "a mutation goes past the hook", "Modules/Service/Core/Tables/EntityTable.swift", "try beforeWrite(content, over: write.old, Identifier(write.id), by: write.caller, at: write.now, in: store)", "_ = write.now", "a creator, a rule with the server's clock and a rule of the rows hold on both ways"),
    ("Hooks", "a deletion does not ask its hook", "Modules/Service/Core/Tables/SyncedTable+Mutations.swift", "try beforeDelete(old.fields, id, by: principal, in: transaction)", "_ = principal", "a deletion is refused on both ways, and leaves the row"),
    ("Lists", "--sort has no direction", "Modules/Terminal/Entities/EntitySelection.swift", "isDescending: $0.isDescending)", "isDescending: false)", "a list has filters, a search, an order and a limit"),
    ("Ownership", "a private row is read by its id and in lists", VISIBILITY, 'restriction(action, for: caller) ?? "1 = 1"', '"1 = 1"', PRIVATE),
    ("Ownership", "a private row is changed", TABLE, "try !visibility.allows(.read, row.owner, by: principal, in: store)", "false", PRIVATE),
    ("Ownership", "a row that all read is changed by all", VISIBILITY, "guard try !allows(action, owner, by: caller, in: store) else", "guard try !allows(action, owner, by: caller, in: store), ownership != .readableByAll else", "rows that all read keep the contract"),
    ("Ownership", "a snapshot has all rows", TABLE, 'piece.owners.map { "AND \\(visibility.owner) IN (\\(list: $0))" } ?? ""', '""', PRIVATE),
    ("Ownership", "the changes have all rows", SCOPE, "collections.filter { owners[$0] == nil }", "collections", PRIVATE),
    ("Ownership", "the digest counts all rows", "Modules/Service/Core/Tables/DigestTable.swift", "owners[collection].map { $0.map { name(collection, of: $0) } }", "owners[collection].map { _ in [collection] }", PRIVATE),
    ("Ownership", "a bucket has all rows", "Modules/Service/Core/Sync/SnapshotReader.swift", 'range.owners.map { "AND owner IN (\\(list: $0))" } ?? ""', '""', PRIVATE),
    ("Ownership", "a conflict shows a private row", "Modules/Service/Core/Sync/ChangesReader.swift", 'try collection.owners(seenBy: caller, in: reader).map { "AND owner IN (\\(list: $0))" } ?? ""', '""', PRIVATE),
    ("Ownership", "a new administrator keeps the cursor", SCOPE, '$0 == [owner.key] ? ["own"] : $0 }) ?? ["all"]', '$0 == [owner.key] ? ["own"] : $0 }) ?? ["own"]', "a user who becomes an administrator starts again where rows are private"),
    ("Ownership", "a tombstone has no owner", "Modules/Service/Core/Tables/SyncedTable+Mutations.swift", ".delete, collection: name, id: id, owner: visibility.name(of: old.owner)", ".delete, collection: name, id: id, owner: nil", PRIVATE),
]


# Bugs that make most tests fail.
ALONE = {"a column is missing", "nothing is synchronised"}


def rounds(bugs, is_alone):
    """Groups the bugs, because a build takes most of the time. Each bug names the test that must find it.

    Two bugs of one file or one test are in different rounds, and each bug of `ALONE` has its own round.
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


def stale(bugs, root):
    """What no longer fits the code: a text that is not there exactly once, or a test that does not exist."""
    tests = set()
    for folder in ("Tests/Entities", "Tests/Features/Specimens"):
        for path in (root / folder).rglob("*.swift"):
            tests.update(re.findall(r"func `([^`]+)`", path.read_text()))
    for part, wrong, name, right, _, test in bugs:
        path = root / name
        if not path.is_file() or path.read_text().count(right) != 1:
            yield f"{part}: {wrong}: '{right}' is not once in {name}"
        if test not in tests:
            yield f"{part}: {wrong}: there is no test '{test}'"


def failed_tests(root, log):
    """The names of the tests that failed; `None` if the build failed."""
    build = ["swift", "build", "--package-path", root, "--product", "StrataPackageTests"]
    if subprocess.run(build, stdout=log, stderr=subprocess.STDOUT, timeout=900).returncode != 0:
        return None
    test = ["swift", "test", "--package-path", root, "--skip-build", "--no-parallel", "--disable-xctest"]
    done = subprocess.run(test, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=900, text=True)
    log.write(done.stdout)
    log.flush()
    return set(re.findall(r'Test "([^"]*)" (?:with \d+ test cases? )?failed after', done.stdout))


def main():
    parser = Parser("Scripts/planted-bugs")
    parser.add_argument("--root", required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--alone", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    bugs = [bug for bug in BUGS if options.only in f"{bug[0]}: {bug[1]}"]
    if options.list:
        for part, wrong, _, _, _, test in bugs:
            print(f"{part}: {wrong}: '{test}'")
        return 0
    faults = list(stale(bugs, pathlib.Path(options.root)))
    if faults or options.check:
        print("\n".join(faults) or f"{len(bugs)} bugs can be planted")
        return 1 if faults else 0
    missed = 0
    with open(pathlib.Path(options.root) / ".build" / "planted-bugs.log", "w") as log:
        for planted in rounds(bugs, options.alone):
            missed += plant(planted, pathlib.Path(options.root), log)
    print(f"{len(bugs) - missed} of {len(bugs)} planted bugs were found by their test")
    return 1 if missed else 0


def plant(bugs, root, log):
    """Plants bugs and runs the tests; returns the number of bugs that were not found."""
    texts = {}
    start = time.monotonic()
    try:
        for part, description, name, right, wrong, _ in bugs:
            path = root / name
            text = path.read_text()
            if text.count(right) != 1:
                raise SystemExit(f"{part}: {description}: '{name}' must contain '{right.strip()}' exactly once")
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
