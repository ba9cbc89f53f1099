import GRDB
import StrataConcurrency
import StrataService
import StrataSystem

/// Connections for reads. Each read has one snapshot.
///
/// A read begins on the calling thread, which may be that of an event loop: a read by key takes some µs, and with a thread of its
/// own a request had 6.9 switches of threads instead of 1.3. A read that takes longer than a millisecond is given up and begins
/// again on a thread that may block.
final class ReadConnections: Sendable {
    /// Most connections that are kept open between reads.
    private static let idleLimit = 4

    private struct State {
        var idle: [SQLiteConnection] = []
        var isClosed = false
        var inUse = 0
        /// Resumed when a closed pool has no connection in use.
        var closing: CheckedContinuation<Void, Never>?
    }

    private let path: String
    private let watch: DatabaseWatch
    private let state = Mutex(State())
    /// Bounds the threads of long reads.
    private let longReads = FairSemaphore(permits: 4)

    init(path: String, watch: DatabaseWatch) { (self.path, self.watch) = (path, watch) }

    /// - Throws: `CancellationError` when the task is cancelled during a long read.
    func read<Result: Sendable>(_ body: @escaping @Sendable (any StoreReader) throws -> Result) async throws -> Result {
        if let result = try short(body) { return result }
        return try await longReads.withPermit {
            let cancellation = Cancellation()
            return try await withTaskCancellationHandler {
                try await runBlocking { [self] in
                    let connection = try take()
                    defer { put(connection) }
                    return try connection.snapshot(.cancellation(cancellation), body)
                }
            } onCancel: {
                cancellation.cancel()
            }
        }
    }

    /// - Returns: `nil` for a read that is not short.
    private func short<Result>(_ body: (any StoreReader) throws -> Result) throws -> Result? {
        let connection = try take()
        defer { put(connection) }
        do {
            let result = try connection.snapshot(.short, body)
            // A body may have caught the error.
            return connection.exceededLimit ? nil : result
        } catch {
            guard connection.exceededLimit else { throw error }
            return nil
        }
    }

    private func take() throws -> SQLiteConnection {
        let known = try state.withLock { state -> SQLiteConnection? in
            guard !state.isClosed else { throw StoreError.unavailable("the database is closed") }
            state.inUse += 1
            return state.idle.popLast()
        }
        if let known { return known }
        do { return try SQLiteConnection(reading: path, watch: watch) } catch {
            leave(nil)
            throw error
        }
    }

    private func put(_ connection: SQLiteConnection) { leave(connection) }

    private func leave(_ connection: SQLiteConnection?) {
        let closing = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.inUse -= 1
            // One inside a transaction would fail each later read, and is closed.
            if let connection, !connection.isInTransaction, !state.isClosed, state.idle.count < Self.idleLimit {
                state.idle.append(connection)
            }
            guard state.isClosed, state.inUse == 0 else { return nil }
            defer { state.closing = nil }
            return state.closing
        }
        closing?.resume()
    }

    /// Closes the connections; returns when the last read has ended. Later reads fail.
    func close() async {
        await withCheckedContinuation { continuation in
            let mayEnd = state.withLock { state in
                state.isClosed = true
                state.idle = []
                guard state.inUse > 0 else { return true }
                state.closing = continuation
                return false
            }
            if mayEnd { continuation.resume() }
        }
    }
}
