/// The chunks of a snapshot as chunks of a response.
struct SnapshotSource: Sendable {
    let reader: SnapshotReader
    let store: any Store
    let signal: CommitSignal

    /// - Parameter sent: Rows of the response before this chunk.
    func chunk(from place: SnapshotReader.Place, sent: Int = 0) async throws -> StreamChunk {
        let chunk = try await store.read { snapshot in try reader.chunk(from: place, sent: sent, in: snapshot) }
        return StreamChunk(bytes: chunk.bytes) {
            // A drain ends the response at a page mark, from which the client continues with another request.
            guard let next = chunk.next, !signal.isClosed else { return nil }
            return try await self.chunk(from: next, sent: sent + chunk.rows)
        }
    }
}
