import Foundation
import HTTPTypes
import StrataDomain
import StrataService
import Testing

/// A client with a local copy, as simple as the protocol allows.
struct SyncClientDouble {
    let client: Client
    var rows: [String: SyncChange] = [:]
    var cursor: String?
    /// Versions in the order they came.
    var seen: [Int] = []

    init(_ client: Client) { self.client = client }

    /// One page.
    mutating func pull(limit: Int = 500) async throws -> ChangesPage {
        let query = cursor.map { "&cursor=\($0)" } ?? ""
        let reply = try await client.send(.get, "/v1/sync/changes?limit=\(limit)\(query)")
        #expect(reply.status == 200, "\(reply.text)")
        let page = try reply.decoded(ChangesPage.self)
        for change in page.changes {
            seen.append(change.version)
            rows[change.id] = change.operation == .put ? change : nil
        }
        cursor = page.cursor
        return page
    }

    /// Pages until there is nothing more, at most 100.
    mutating func pullAll(limit: Int = 500) async throws {
        for _ in 0..<100 {
            if try await !pull(limit: limit).hasMore { return }
        }
        Issue.record("the pages do not end")
    }

    func push(_ mutations: Mutation..., as token: String = "anna") async throws -> [MutationResult] {
        try await push(mutations, as: token)
    }

    func push(_ mutations: [Mutation], as token: String = "anna") async throws -> [MutationResult] {
        let batch = MutationBatch(clientId: "c1", mutations: mutations)
        let reply = try await client.send(.post, "/v1/sync/mutations", as: token, body: try WireJSON.encode(batch))
        #expect(reply.status == 200, "\(reply.text)")
        return try reply.decoded(MutationResults.self).results
    }
}

extension Mutation {
    static func create(_ id: String, of entity: String, text: String, collection: String = "notes") -> Mutation {
        Mutation(
            id: id, clientSeq: 1, collection: collection, entityId: entity, operation: .create, baseVersion: nil,
            fields: ["text": .string(text), "level": .integer(1)], at: Date(timeIntervalSince1970: 0))
    }

    static func patch(_ id: String, of entity: String, base: Int?, text: String) -> Mutation {
        Mutation(
            id: id, clientSeq: 2, collection: "notes", entityId: entity, operation: .patch, baseVersion: base,
            fields: ["text": .string(text)], at: Date(timeIntervalSince1970: 0))
    }

    static func delete(_ id: String, of entity: String, base: Int?) -> Mutation {
        Mutation(
            id: id, clientSeq: 3, collection: "notes", entityId: entity, operation: .delete, baseVersion: base,
            fields: [:], at: Date(timeIntervalSince1970: 0))
    }
}
