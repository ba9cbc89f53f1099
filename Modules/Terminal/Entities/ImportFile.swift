import FoundationEssentials
import StrataDomain
import StrataSystem

/// The bytes of an import, which are read twice: once to check them, once to store them.
///
/// A stream is kept in a file without a name, which goes with the process.
final class ImportFile: Sendable {
    private let name: String
    private let descriptor: FileDescriptor
    let size: Int?

    private init(_ name: String, _ descriptor: FileDescriptor) {
        (self.name, self.descriptor) = (name, descriptor)
        size = (try? Stat(descriptor)).map { Int($0.size) }
    }

    deinit { descriptor.release() }

    /// - Throws: As `DescriptorSource.open`; `.storage` where a stream cannot be kept.
    static func open(_ path: String, or input: any ConsoleInput) async throws -> ImportFile {
        let source = try DescriptorSource.open(path, or: input)
        if path != "-", source.size != nil, let descriptor = try? openFile(path, O_RDONLY) {
            return ImportFile(path, descriptor)
        }
        let name = path == "-" ? "standard input" : path
        let kept = ImportFile(name, try storing(name) { () throws(Errno) in try nameless() })
        while let piece = try await source.next() {
            try storing(name) { () throws(Errno) in try kept.descriptor.append(piece) }
        }
        return kept
    }

    /// The bytes from the beginning; the ones that were read before end.
    func bytes() throws(DomainError) -> DescriptorSource {
        try Self.storing(name) { () throws(Errno) in
            _ = try throwingErrno { try descriptor.seek(offset: 0, from: .start) }
        }
        return DescriptorSource(descriptor: descriptor.rawValue, name: name, closes: false)
    }

    private static func nameless() throws(Errno) -> FileDescriptor {
        let directory = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
        let path = "\(directory)/\(UUID().uuidString).import"
        let descriptor = try openFile(path, O_RDWR | O_CREAT | O_EXCL)
        unlink(path)
        return descriptor
    }

    private static func storing<Value>(
        _ name: String, _ work: () throws(Errno) -> Value
    ) throws(DomainError) -> Value {
        do throws(Errno) { return try work() } catch {
            throw .storage(
                "'\(name)' cannot be kept for a second reading: \(error). Give a file, or set TMPDIR to a directory with room."
            )
        }
    }
}
