import FoundationEssentials
import Logging
import StrataAsyncHTTP
import StrataDomain
import StrataNetworking
import StrataOffline

/// A store with the real engine, client and transport.
struct Client: Sendable {
    let database: OfflineDatabase
    let store: OfflineStore
    let engine: SyncEngine
    private let transport: AsyncHTTPTransport
    private let api: HTTPAPIClient

    init(_ path: String, port: Int, onRows: @escaping @Sendable (Int) -> Void = { _ in }) async throws {
        let quiet = Logger(label: "bench", factory: { _ in SwiftLogNoOpLogHandler() })
        database = try await OfflineDatabase.open(at: path, collections: [LogRow.collection], log: quiet)
        store = OfflineStore(database: database)
        transport = AsyncHTTPTransport(try AsyncHTTPOptions())
        api = try HTTPAPIClient(
            baseURL: HTTPURL("http://127.0.0.1:\(port)"), transport: transport, auth: .token(Secret("token")),
            resilience: Resilience(), logger: quiet)
        engine = SyncEngine(
            database: database, client: api, settings: .init(verifiedRows: 0), log: quiet,
            onProgress: { if case .receiving(let rows) = $0 { onRows(rows) } })
    }

    func close() async throws {
        try await database.close()
        await transport.shutdown()
    }

    /// Writes a row as another user does, without this store.
    func writeElsewhere(_ number: Int) async throws {
        let sample = Sample(number: number)
        let fields: [String: JSONValue] = [
            "host": .string(sample.host), "severity": .string(sample.severity), "text": .string(sample.text),
            "occurred_at": .string(RFC3339.string(from: Date(timeIntervalSince1970: Double(sample.occurredAt) / 1000))),
        ]
        let mutation = Mutation(
            id: UUID().text, clientSeq: 1, collection: "logs", entityId: sample.id,
            operation: .create, baseVersion: nil, fields: fields, at: Date())
        let results = try await api.send(
            PushMutations(batch: MutationBatch(clientId: "elsewhere", mutations: [mutation])))
        guard results.results.first?.status == .applied else { throw CocoaError(.featureUnsupported) }
    }
}
