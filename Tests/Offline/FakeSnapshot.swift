import FoundationEssentials
import StrataConcurrency
import StrataDomain
import StrataTesting

extension FakeSyncServer {
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
