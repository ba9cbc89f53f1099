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
    package func measure(_ path: String) async throws(DomainError) -> FileMeasure {
        do {
            var hasher = ContentHasher()
            for try await piece in try await bodies.body(ofFileAt: path, contentType: nil).open() {
                try Task.checkCancellation()
                hasher.update(piece)
            }
            guard let digest = hasher.digest else { throw DomainError.unexpected("A SHA-256 has not 32 bytes.") }
            return FileMeasure(size: hasher.count, digest: digest)
        } catch {
            throw Self.unreadable(error)
        }
    }

    package func kind(of path: String) -> FileKind {
        var isDirectory = false
        if FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory), isDirectory { return .directory }
        // Does not follow links, so it also tells of one that leads nowhere.
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path),
            let type = attributes[.type] as? FileAttributeType
        else { return .nothing }
        guard type == .typeSymbolicLink else { return type == .typeRegular ? .file : .other }
        let target = FileManager.default.fileExists(atPath: path) ? Self.target(of: path) : nil
        return target == .typeRegular ? .file : .other
    }

    private static func target(of path: String) -> FileAttributeType? {
        let target = URL(filePath: path).resolvingSymlinksInPath().path
        return (try? FileManager.default.attributesOfItem(atPath: target))?[.type] as? FileAttributeType
    }

    /// A file that cannot be read is one that is not there, as for every command that reads files.
    private static func unreadable(_ error: any Error) -> DomainError {
        if let error = error as? NetworkError, case .storage(let why) = error.kind { return .notFound(why) }
        return DomainError(error)
    }
}
