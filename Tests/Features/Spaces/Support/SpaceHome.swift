import Foundation
import GRDB
import Logging
import SpacesDomain
import StrataDomain
import StrataOffline
import StrataTesting

/// The offline store of a user, with spaces and cards.
struct SpaceHome: Sendable {
    let database: OfflineDatabase
    let store: OfflineStore
    let engine: SyncEngine

    init(_ name: String, in directory: TemporaryDirectory, client: any APIClient) async throws {
        database = try await OfflineDatabase.open(
            at: directory.file("\(name).sqlite"),
            collections: [
                OfflineEntityRepository<Space>.collection, OfflineEntityRepository<Card>.collection,
            ], log: .silent)
        store = OfflineStore(database: database)
        engine = SyncEngine(database: database, client: client)
    }

    private func entities<Content: Entity>(_ entity: Content.Type) -> OfflineEntityRepository<Content> {
        OfflineEntityRepository(store, command: "x \(Content.commandName)") { [engine] () throws(DomainError) in
            _ = try await engine.sync()
        }
    }
    var spaces: OfflineEntityRepository<Space> { entities(Space.self) }
    var cards: OfflineEntityRepository<Card> { entities(Card.self) }
    func texts() async throws -> [String] { try await cards.list(.cacheFirst).value.map(\.text).sorted() }

    /// Pages of the file without a row, which may still have what was deleted.
    func freePages() async throws -> Int {
        try await database.read { try Int.fetchOne($0, sql: "PRAGMA freelist_count") ?? 0 }
    }

    /// Whether a file of the folder has the text.
    static func holds(_ text: String, _ directory: TemporaryDirectory) -> Bool {
        let wanted = Data(text.utf8)
        return directory.names.contains { directory.content($0)?.range(of: wanted) != nil }
    }
}
