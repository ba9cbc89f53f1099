package import StrataDomain

/// The attachments of one kind of entity at the server.
package protocol AttachmentRepository<Parent>: Sendable {
    /// What the files belong to.
    associatedtype Parent: Entity

    /// Uploads a file to an entity that the server has. A repeated upload of the same file with the same name to the same entity
    /// returns the first attachment, also after a crash in between. An interrupted upload of a large file is resumed.
    ///
    /// - Returns: The attachment, and bytes that an earlier run had sent.
    /// - Throws: `.notFound` for an entity that the server does not have; `.validation` for a file that it refuses.
    func add(
        _ file: LocalFile, to parent: Identifier<Parent>, progress: TransferProgress?
    ) async throws(DomainError) -> (attachment: Attachment<Parent>, resumedFrom: Int64)

    /// The attachments of an entity, oldest first.
    ///
    /// - Parameter limit: Most attachments to return. `nil`: all.
    /// - Throws: `.notFound` for an entity that the server does not have.
    func list(_ parent: Identifier<Parent>, limit: Int?) async throws(DomainError) -> [Attachment<Parent>]

    /// - Throws: `.notFound` for an id that the server does not have.
    func get(_ id: Attachment<Parent>.ID) async throws(DomainError) -> Attachment<Parent>

    /// Writes the content to the file at `path` when it is complete and has the stated digest. A part that an earlier run left
    /// is completed.
    ///
    /// - Returns: Bytes that an earlier run had left.
    func download(
        _ attachment: Attachment<Parent>, to path: String, progress: TransferProgress?
    ) async throws(DomainError) -> Int64
}
