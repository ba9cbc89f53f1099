package import AttachmentsDomain
import FoundationEssentials
package import StrataDomain
import StrataOffline

/// Files of the local disk, read in pieces as they would be sent.
package struct MeasuredFiles: LocalFiles {
    private let bodies: any FileBodies

    package init(bodies: any FileBodies) { self.bodies = bodies }

    /// Off the caller's actor: a large file takes seconds to hash.
    @concurrent
    package func measure(_ path: String) async throws(DomainError) -> LocalFile {
        do {
            var hasher = ContentHasher()
            for try await piece in try await bodies.body(ofFileAt: path, contentType: nil).open() {
                try Task.checkCancellation()
                hasher.update(piece)
            }
            guard let digest = hasher.digest else { throw DomainError.unexpected("A SHA-256 has not 32 bytes.") }
            return LocalFile(path, size: hasher.count, digest: digest)
        } catch {
            throw Self.unreadable(error)
        }
    }

    package func kind(of path: String) -> FileKind {
        guard var type = Self.type(of: path) else { return .nothing }
        if type == .typeSymbolicLink {
            type = Self.type(of: URL(filePath: path).resolvingSymlinksInPath().path) ?? .typeUnknown
        }
        return type == .typeDirectory ? .directory : type == .typeRegular ? .file : .other
    }

    /// Links are not followed.
    private static func type(of path: String) -> FileAttributeType? {
        (try? FileManager.default.attributesOfItem(atPath: path))?[.type] as? FileAttributeType
    }

    /// An unreadable file is not found, as in every command that reads files.
    private static func unreadable(_ error: any Error) -> DomainError {
        if let error = error as? NetworkError, case .storage(let why) = error.kind { return .notFound(why) }
        return DomainError(error)
    }
}
