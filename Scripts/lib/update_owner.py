"""What the owner of the service of `update_round.py` changed in it, and what an owner moves by hand where the form changed.

A change has the form of today, and those of services from before StrataServerProgram and StrataClientProgram. One that fits the service is
applied. After an update, a change in the earlier form is listed as a conflict; `settle` brings it into the form of today,
as the guide *From template to production* says.
"""

import dataclasses
import os
import re

from processes import Failure


def read(service, path):
    with open(os.path.join(service, path), encoding="utf-8") as file:
        return file.read()


def write(service, path, text, mode=0o644):
    place = os.path.join(service, path)
    os.makedirs(os.path.dirname(place), exist_ok=True)
    with open(place, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(place, mode)


def present(service, path):
    return os.path.lexists(os.path.join(service, path))


@dataclasses.dataclass
class Edit:
    """Words in the place of others."""

    path: str
    old: str
    new: str

    def fits(self, service):
        return present(service, self.path) and self.old in read(service, self.path)

    def apply(self, service):
        place = os.path.join(service, self.path)
        write(service, self.path, read(service, self.path).replace(self.old, self.new, 1), os.stat(place).st_mode & 0o777)

    @property
    def lines(self):
        """The lines that are new, without their indentation."""
        before = {line.strip() for line in self.old.splitlines()}
        return [line.strip() for line in self.new.splitlines() if line.strip() and line.strip() not in before]

    def is_kept(self, service):
        return present(service, self.path) and all(line in read(service, self.path) for line in self.lines)


@dataclasses.dataclass
class File:
    """A file of the owner's own."""

    path: str
    text: str
    mode: int = 0o644

    def fits(self, service):
        return not present(service, self.path)

    def apply(self, service):
        write(service, self.path, self.text, self.mode)

    def is_kept(self, service):
        return present(service, self.path) and read(service, self.path) == self.text


@dataclasses.dataclass
class Removal:
    """A file that the owner removed, if the service had it."""

    path: str

    def fits(self, _):
        return True

    def apply(self, service):
        if present(service, self.path):
            os.remove(os.path.join(service, self.path))

    def is_kept(self, service):
        return not present(service, self.path)


@dataclasses.dataclass
class Need:
    """A file of the template that the owner's files use."""

    path: str

    def fits(self, service):
        return present(service, self.path)

    def apply(self, _):
        pass

    def is_kept(self, _):
        return True


@dataclasses.dataclass
class Change:
    name: str
    # Of today; empty when there is no place for it yet.
    today: list
    # Of a service from before, if that is another one; and later, when the enum of settings had a file of its own.
    before: list = dataclasses.field(default_factory=list)
    later: list = dataclasses.field(default_factory=list)

    def apply(self, service):
        """Returns the form that was applied."""
        for form in (self.before, self.later, self.today):
            if form and all(step.fits(service) for step in form):
                for step in form:
                    step.apply(service)
                return form
        if not self.today:
            return []  # no file of the service has it
        raise Failure(f"'{self.name}' fits no form of the service.")


SETTINGS = "Apps/Backend/Settings/Settings.swift"
PROGRAM = "Apps/Backend/OrdersServer.swift"
BACKEND = "Apps/Backend/Main.swift"

COMMAND_OF_BEFORE = '''import ArgumentParser
import StrataDomain
import StrataService

struct CountTasksCommand: ServerCommand {
    static let configuration = CommandConfiguration(commandName: "count-tasks", abstract: "Count the tasks of all users.")

    @OptionGroup var store: StoreOptions

    func run(environment: [String: String]) async throws {
        let settings = try store.settings(environment)
        try await StoreOptions.withDatabase(settings, creates: false) { database in
            let count = try await database.read { try $0.row("SELECT COUNT(*) AS total FROM tasks")?.int("total") ?? 0 }
            StandardStreams.output("\\(count)")
        }
    }
}
'''
COMMAND = '''import ArgumentParser
import StrataServerProgram
import StrataService

struct CountTasksCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "count-tasks", abstract: "Count the tasks of all users.")

    @OptionGroup var store: StoreOptions

    func run() async throws {
        let count = try await store.withStore { database, _ in
            try await database.read { try $0.row("SELECT COUNT(*) AS total FROM tasks")?.int("total") ?? 0 }
        }
        print(count)
    }
}
'''
SETTING = '''import StrataServerProgram

extension Setting {
    static let taskLimit = Setting("task_limit", "50; tasks in a list of ours", in: 1...500)
}

extension Settings {
    /// Most tasks that a list of ours shows.
    var taskLimit: Int { number(.taskLimit) ?? 50 }
}
'''
TEST = '''import Testing

@testable import orders_server

@Suite struct `Our server` {
    @Test func `has a version of its own`() { #expect(OrdersServer.release == "2.3.0") }
}
'''
ROUTE = '''package import StrataDomain
import StrataService

/// `GET /v1/task-counts`: the number of tasks, and of those that are done.
package struct CountTasks: RoutedEndpoint {
    package static let route = Route.get("/v1/task-counts")

    package struct Response: Codable, Sendable, Equatable {
        package var all: Int
        package var done: Int
    }

    package init() {}

    static func response(from store: any StoreReader) throws -> Response {
        let row = try store.row("SELECT COUNT(*) AS total, COALESCE(SUM(done), 0) AS done FROM tasks")
        return Response(all: try row?.int("total") ?? 0, done: try row?.int("done") ?? 0)
    }
}
'''
DEPLOY = '''#!/usr/bin/env bash
set -euo pipefail
echo "Deploy"
'''
DEPLOY_OF_BEFORE = '''#!/usr/bin/env bash
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"
step "Deploy"
'''



def listed(path):
    """The owner's setting as it was before; `path` has the enum of settings."""
    return [
        Edit(SETTINGS, "    let docs: Docs\n", "    let docs: Docs\n    let taskLimit: Int\n"),
        Edit(SETTINGS, "        pages = try values",
             "        taskLimit = try values.integer(.taskLimit, in: 1...500) ?? 50\n        pages = try values"),
        Edit(path, "    case docs\n", '    case docs\n    case taskLimit = "task_limit"\n'),
        Edit(path, "        case .pageName: ", '        case .taskLimit: "50; tasks in a list of ours"\n        case .pageName: ')]


CHANGES = [
    Change("a page with text of its own", [
        Edit("README.md", "## Two commands", "On call: the team of orders, orders@example.com.\n\n## Two commands")]),
    Change("the first line of the help", [
        Edit("Apps/CLI/Main.swift", '"Works with or without the network."', '"Orders of the night shift."')], [
        Edit("Apps/CLI/OrdersProgram.swift", '"Works with or without the network."', '"Orders of the night shift."')]),
    Change("the versions of both programs", [
        Edit("Apps/CLI/Version.swift", '"0.1.0"', '"2.3.0"'), Edit("Apps/Backend/Version.swift", '"0.1.0"', '"2.3.0"')], [
        Edit("Apps/CLI/OrdersProgram.swift", '"0.1.0"', '"2.3.0"'), Edit(PROGRAM, '"0.1.0"', '"2.3.0"')]),
    Change("a line of the composition", [], [
        Edit("Apps/CLI/Wiring.swift", "caches.drain(upTo: .seconds(2))", "caches.drain(upTo: .seconds(5))")]),
    Change("a default", [
        Edit("Docs/Packaging/server.env", "ORDERS_LOG_LEVEL=info\n", "ORDERS_LOG_LEVEL=info\nORDERS_DOCS=off\n")], [
        Edit(SETTINGS, "docs = try values.choice(.docs) ?? .on", "docs = try values.choice(.docs) ?? .off")]),
    Change("a setting", [
        File("Apps/Backend/Settings+Tasks.swift", SETTING),
        Edit(BACKEND, "row here.\n", "row here.\n            .taskLimit\n")],
        listed(SETTINGS), listed("Apps/Backend/Settings/Setting.swift")),
    Change("a command of the server", [
        File("Apps/Backend/CountTasksCommand.swift", COMMAND),
        Edit(BACKEND, "jobs: { try Jobs($0, store: $1).list })",
             "jobs: { try Jobs($0, store: $1).list },\n        commands: [CountTasksCommand.self])"),
        Edit("Package.swift", '"StrataServerProgram", "StrataService"] + ',
             '"StrataServerProgram", "StrataService", "ArgumentParser"] + ')], [
        File("Apps/Backend/Commands/CountTasksCommand.swift", COMMAND_OF_BEFORE),
        Edit(PROGRAM, "DeleteUserCommand.self,", "DeleteUserCommand.self, CountTasksCommand.self,")]),
    Change("a route of a feature", [
        File("Modules/Features/Tasks/Service/CountTasks.swift", ROUTE),
        Edit("Modules/Features/Tasks/Service/TasksService.swift",
             "    package func mount(on routes: inout APIRoutes) { table.mount(on: &routes) }\n",
             "    package func mount(on routes: inout APIRoutes) {\n"
             "        table.mount(on: &routes)\n"
             "        routes.read(CountTasks.self, for: .users) { _, _, store in try CountTasks.response(from: store) }\n"
             "    }\n")]),
    Change("a test", [
        File("Tests/Apps/Backend/VersionTests.swift", TEST)], [
        Edit("Tests/Apps/Backend/SettingsTests.swift", "        #expect(settings.trustedProxies.isEmpty)\n    }\n",
             "        #expect(settings.trustedProxies.isEmpty)\n        #expect(settings.docs == .off)\n    }\n")]),
    Change("a page of operations", [
        Edit("Docs/Operations.md", "# Operations\n", "# Operations\n\nOur server is `db1`; Ada restores backups.\n")]),
    Change("a line of the image", [
        Edit("Docs/Packaging/Containerfile", "sqlite:/data/orders.sqlite", "sqlite:/data/orders.sqlite ORDERS_DOCS=off")]),
    Change("a limit of the unit", [
        Edit("Docs/Packaging/orders-server.service", "LimitNOFILE=16384", "LimitNOFILE=65536")]),
    Change("a step of CI", [Edit(".ci/run", "bash Scripts/check\n", "bash Scripts/check\nbash Scripts/deploy\n")]),
    Change("an ignored folder", [Edit(".gitignore", ".local\n", ".local\n/reports\n")]),
    Change("a page that nothing else knows", [File("Docs/Runbook.md", "# Runbook\n\nCall Ada.\n")]),
    Change("a script, which reads one of the template's where there is one", [File("Scripts/deploy", DEPLOY, 0o755)], [
        Need("Scripts/lib/common.sh"), File("Scripts/deploy", DEPLOY_OF_BEFORE, 0o755)]),
    Change("removed samples and the workflow of a forge", [
        Removal("Docs/Packaging/haproxy.cfg"), Removal("Docs/Packaging/nginx.conf"), Removal(".github/workflows/ci.yml")]),
]

MARKED = re.compile(r"<<<<<<< here\n(?P<here>.*?)(?:\|{7}.*?\n.*?)?=======\n(?P<now>.*?)>>>>>>> template now\n", re.DOTALL)


def settle(service, applied, conflicts):
    """What the owner does by hand: marked conflicts take the template's side with the owner's lines; a change whose file the template
    deleted is moved into the form of today. Returns the paths to delete, each change with its form now, and those without a place today.

    `applied` has each change with its form, `conflicts` their paths.
    """
    removed, now, homeless = set(), [], []
    for path in conflicts:
        if not present(service, path):
            continue
        text = read(service, path)
        if not MARKED.search(text):
            removed.add(path)
            continue
        mine = [line for _, form in applied for step in form if step.path == path for line in step.lines]

        def taken(match, mine=mine):
            return match["now"] + "".join(f"{line}\n" for line in mine if line in match["here"])

        write(service, path, MARKED.sub(taken, text), os.stat(os.path.join(service, path)).st_mode & 0o777)
    for change, form in applied:
        if form is change.today or not any(step.path in removed for step in form):
            now.append((change, form))
            continue
        removed |= {step.path for step in form if isinstance(step, File)}
        if not change.today:
            homeless.append(change.name)
            continue
        for step in change.today:
            if not step.fits(service):
                raise Failure(f"'{change.name}' has no place in '{step.path}' after the update.")
            step.apply(service)
        now.append((change, change.today))
    return sorted(removed), now, homeless
