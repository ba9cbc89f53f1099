package import StrataDomain

/// A file on this machine.
package struct LocalFile: Sendable, Hashable {
    package var path: String
    package var name: FileName
    package var mediaType: String
    /// Bytes.
    package var size: Int64
    /// SHA-256 of the content.
    package var digest: ContentDigest

    /// Name and media type follow from the path.
    package init(_ path: String, size: Int64, digest: ContentDigest) {
        self.path = path
        name = FileName(nearest: path)
        mediaType = FileMediaType.guessed(from: name)
        self.size = size
        self.digest = digest
    }
}

/// Inspects files of this machine.
package protocol LocalFiles: Sendable {
    /// The regular file at `path`, read to its end.
    ///
    /// - Throws: `.notFound` naming the path, for a path without a regular file and for an unreadable one.
    func measure(_ path: String) async throws(DomainError) -> LocalFile

    /// The kind of file at `path`; symbolic links are followed.
    func kind(of path: String) -> FileKind
}

package enum FileKind: Sendable, Hashable {
    case nothing, file, directory
    /// A pipe, a device, a socket, or a link to a missing file.
    case other
}
