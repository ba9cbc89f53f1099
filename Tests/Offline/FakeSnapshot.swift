import FoundationEssentials
import StrataConcurrency
import StrataDomain

extension FakeSyncServer {
    /// A snapshot, or one bucket, from a position to its end, as the service writes it.
    func snapshot(_ call: FetchSnapshot) throws(NetworkError) -> [UInt8] {
        let answer = with { state -> Result<[UInt8], NetworkError> in
            Result { () throws(NetworkError) in try Self.lines(call, state) }
        }
        return try answer.get()
    }

    private static func lines(_ call: FetchSnapshot, _ state: State) throws(NetworkError) -> [UInt8] {
        var (upTo, after) = (state.seq, Key(collection: "", id: ""))
        if let page = call.page {
            let parts = page.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 4, let end = Int(parts[1]) else {
                throw NetworkError(.validation(problem(400, SyncCode.invalidCursor)))
            }
            guard parts[0] == "\(state.epoch)" else { throw NetworkError(.conflict(problem(409, "epoch_changed"))) }
            guard end >= state.horizon else { throw NetworkError(.status(410, problem(410, "cursor_expired"))) }
            (upTo, after) = (end, Key(collection: parts[2], id: parts[3]))
        }
        let wanted = call.collections?.split(separator: ",").map(String.init)
        let rows = state.rows.filter { key, row in
            key > after && row.version <= upTo && row.data != nil && wanted?.contains(key.collection) != false
                && (call.bucket == nil || RowHash(id: key.id, version: 0).bucket == call.bucket)
        }
        var lines = ""
        for (number, (key, row)) in rows.sorted(by: { $0.key < $1.key }).enumerated() {
            let text = (try? WireJSON.encode(change(key, row).data ?? [:])).map { String(decoding: $0, as: UTF8.self) }
            let at = Int(row.updatedAt.timeIntervalSince1970 * 1000)
            lines += "[\"\(key.collection)\",\"\(key.id)\",\(row.version),\(at),\(text ?? "")]\n"
            if (number + 1) % (call.limit ?? 1000) == 0 {
                lines += "{\"page\":\"\(state.epoch)/\(upTo)/\(key.collection)/\(key.id)\"}\n"
            }
        }
        let cursor = call.bucket == nil ? "\"cursor\":\"\(state.epoch)/\(upTo)/0/0\"," : ""
        return Array((lines + "{\(cursor)\"rows\":\(rows.count),\"up_to\":\(upTo)}\n").utf8)
    }

    /// Sends lines in pieces of any boundaries.
    ///
    /// - Parameter isCut: Whether the connection is lost behind them.
    static func deliver<Result: Sendable>(
        _ lines: [UInt8], isCut: Bool = false,
        to receive: @Sendable (ResponseHead, any AsyncSequence<Data, any Error> & Sendable) async throws -> Result
    ) async throws(NetworkError) -> Result {
        do {
            return try await receive(
                ResponseHead(status: 200),
                AsyncThrowingStream { continuation in
                    for start in stride(from: 0, to: lines.count, by: 61) {
                        continuation.yield(Data(lines[start..<min(start + 61, lines.count)]))
                    }
                    continuation.finish(throwing: isCut ? NetworkError(.connectionLost("cut")) : nil)
                })
        } catch let error as NetworkError {
            throw error
        } catch {
            throw NetworkError(.unexpected("\(error)"))
        }
    }
}

/// The way to a server that offers snapshots, which may be cut off or spoilt on the way.
final class SnapshotLink: APIClient {
    let link: FakeLink
    private let spoil = Mutex<@Sendable ([UInt8]) -> (lines: [UInt8], isCut: Bool)>({ ($0, false) })
    private let calls = Mutex<[String?]>([])

    init(_ link: FakeLink) { self.link = link }

    /// The positions that were asked for.
    var pages: [String?] { calls.withLock { $0 } }
    /// - Parameter spoil: What becomes of an answer, and whether the connection is cut behind it.
    func onSnapshot(_ spoil: @escaping @Sendable ([UInt8]) -> (lines: [UInt8], isCut: Bool)) {
        self.spoil.withLock { $0 = spoil }
    }
    func cut(after count: Int) { onSnapshot { (Array($0.prefix(count)), $0.count > count) } }
    func healed() { onSnapshot { ($0, false) } }

    func response<E: Endpoint>(
        to endpoint: E, options: CallOptions
    ) async throws(NetworkError) -> APIResponse<E.Response> {
        try await link.response(to: endpoint, options: options)
    }

    func stream<E: Endpoint, Result: Sendable>(
        _ endpoint: E, options: CallOptions,
        receive:
            @escaping @Sendable (ResponseHead, any AsyncSequence<Data, any Error> & Sendable) async throws -> Result
    ) async throws(NetworkError) -> Result {
        guard let snapshot = endpoint as? FetchSnapshot, snapshot.bucket == nil else {
            return try await link.stream(endpoint, options: options, receive: receive)
        }
        calls.withLock { $0.append(snapshot.page) }
        let (lines, isCut) = spoil.withLock { $0 }(try link.server.snapshot(snapshot))
        return try await FakeSyncServer.deliver(lines, isCut: isCut, to: receive)
    }
}
