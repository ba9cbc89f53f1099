import FoundationEssentials
import NIOCore

/// Stores the bytes of one request in pieces, each in a transaction of its own together with the new offset.
final class PieceSink {
    private let id: String
    private let table: UploadTable
    private let store: any Store
    private let now: @Sendable () -> Date
    private var state: UploadState
    /// Bytes that are not stored yet: those behind the offset.
    private var pending = ByteBuffer()
    /// When bytes were stored last. A slow upload stores less than a piece at times, or it would count as idle.
    private var storedAt: Date
    /// Less than `UploadLimits.idle`.
    private static let pause: TimeInterval = 20

    /// - Parameter now: The time, asked for each piece.
    init(_ row: UploadRow, in table: UploadTable, _ store: any Store, now: @escaping @Sendable () -> Date) {
        (id, state) = (row.id, row.state)
        (self.table, self.store, self.now, storedAt) = (table, store, now, now())
    }

    /// - Throws: 400 behind the announced length, 413 above the limit; 409 when another request has added bytes.
    func append(_ bytes: ByteBuffer) async throws {
        try state.checkBytes(to: state.received + pending.readableBytes + bytes.readableBytes)
        pending.writeImmutableBuffer(bytes)
        if pending.readableBytes >= UploadTable.piece || now().timeIntervalSince(storedAt) >= Self.pause {
            try await flush()
        }
    }

    func finish() async throws -> UploadState {
        try await flush()
        return state
    }

    /// Keeps what has arrived when the body was cut off or a call before has failed, so that it need not be sent again. The task
    /// may be cancelled.
    func interrupt() async {
        guard pending.readableBytes > 0 else { return }
        let keep = storing()
        // In another task, because the cancellation of this one must not stop it. When the failed call has stored the bytes, or
        // another request others, the offset is another one and nothing is stored.
        await Task { _ = try? await keep() }.value
    }

    private func flush() async throws {
        guard pending.readableBytes > 0 else { return }
        let count = pending.readableBytes
        guard try await storing()() else { throw try await conflict() }
        state.received += count
        storedAt = now()
        pending.clear()
    }

    /// Stores the pending bytes. Returns whether the upload still had the offset.
    private func storing() -> @Sendable () async throws -> Bool {
        let (table, store, id, place, time) = (table, store, id, state.received, now())
        let bytes = Data(pending.readableBytesView)
        return {
            try await store.write { transaction in
                try table.append(bytes, at: place, to: id, now: time, in: transaction)
            }
        }
    }

    /// The failure of a request that another one has overtaken.
    private func conflict() async throws -> ServiceError {
        let now = try await store.read { [table, id] reader in try table.state(of: id, in: reader) }
        guard let now else { return .notFound("upload", id) }
        return now.isComplete
            ? .uploadCompleted(at: now.received) : .uploadOffset(state.received, expected: now.received)
    }
}
