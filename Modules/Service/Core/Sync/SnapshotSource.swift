/// The pieces of a snapshot as chunks of an answer.
struct SnapshotSource: Sendable {
    let reader: SnapshotReader
    let store: any Store
    let signal: CommitSignal

    /// - Parameter sent: Rows of the answer before this chunk.
    func chunk(from place: SnapshotReader.Place, sent: Int = 0) async throws -> StreamChunk {
        let piece = try await store.read { snapshot in try reader.piece(from: place, sent: sent, in: snapshot) }
        return StreamChunk(bytes: piece.bytes) {
            // A service that stops ends the answer at a page mark, from which the client goes on elsewhere.
            guard let next = piece.next, !signal.isClosed else { return nil }
            return try await chunk(from: next, sent: sent + piece.rows)
        }
    }
}
