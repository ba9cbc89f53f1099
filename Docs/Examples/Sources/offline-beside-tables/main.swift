import Foundation
import GRDB
import StrataClient
import StrataOffline

let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
let path = folder.appending(path: "app.sqlite").path()
let client = try StrataClient(CommandLine.arguments[1])

func first() async throws {
    let pool = try App.database(path, version: 1)
    let offline = Offline(in: pool, client: client)
    let tasks = try offline.collection(TaskRow.self, remote)
    try await offline.sync()
    print("fetched beside the app's:", try await pool.read(App.screen))

    try await tasks.adopt { ["title": .string($0.title)] }
    let milk = try await tasks.create(["title": "Buy milk"])
    try await pool.write { try $0.execute(sql: "INSERT INTO label VALUES (?, 'blue')", arguments: [milk]) }
    if let report = try await tasks.localID(of: "7") { try await tasks.update(report, ["title": "Send the report"]) }
    print("at once, without the server:", try await tasks.read(App.screen))
    print("sent:", try await offline.sync().sent)
}

/// The next version of the app, on the same file.
func second() async throws {
    let pool = try App.database(path, version: 2)
    let offline = Offline(in: pool, client: client)
    let tasks = try offline.collection(TaskRow.self, remote)
    try await tasks.update("a", ["title": "Call Bob and Eve"])
    if let milk = try await tasks.read({ try String.fetchOne($0, sql: "SELECT id FROM task WHERE title = 'Buy milk'") })
    {
        try await tasks.delete(milk)
    }
    try await offline.sync()
    print("migrated, edited, deleted:", try await pool.read(App.screen))
    let (pinned, labels, theme) = try await pool.read { db in
        (
            try String.fetchAll(db, sql: "SELECT title FROM task WHERE pinned").joined(),
            try Int.fetchOne(db, sql: "SELECT count(*) FROM label") ?? 0,
            try String.fetchAll(db, sql: "SELECT value FROM setting").joined()
        )
    }
    print("still the app's: \(pinned) is pinned, \(labels) label, \(theme)")
    let there: [Remote<Todo>] = try await client.get("/todos")
    print("at the server:", there.compactMap(\.content?.title).sorted().joined(separator: ", "))
}

do {
    try await first()
    try await second()
} catch {
    print(error)
}
try? FileManager.default.removeItem(at: folder)
