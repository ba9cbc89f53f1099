package import StrataDomain

/// A file on this machine that is to be attached.
package struct LocalFile: Sendable, Hashable {
    package var path: String
    package var name: FileName
    package var mediaType: String
    /// Bytes.
    package var size: Int64
    /// SHA-256 of the content.
    package var digest: ContentDigest

    package init(path: String, name: FileName, mediaType: String, size: Int64, digest: ContentDigest) {
        self.path = path
        self.name = name
        self.mediaType = mediaType
        self.size = size
        self.digest = digest
    }
}

/// Looks at files of this machine.
package protocol LocalFiles: Sendable {
    /// Size and SHA-256 of the regular file at `path`, read to its end.
    ///
    /// - Throws: `.notFound` naming the path, for what is missing, no file or not readable.
    func measure(_ path: String) async throws(DomainError) -> FileMeasure

    /// What is at `path`; symbolic links are followed.
    func kind(of path: String) -> FileKind
}

package struct FileMeasure: Sendable, Hashable {
    /// Bytes.
    package var size: Int64
    package var digest: ContentDigest

    package init(size: Int64, digest: ContentDigest) {
        self.size = size
        self.digest = digest
    }
}

package enum FileKind: Sendable, Hashable {
    case nothing, file, directory
    /// A pipe, a device, a socket, or a link that leads nowhere.
    case other
}
