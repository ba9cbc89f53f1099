import FoundationEssentials
import StrataDomain

/// The body that `-d` names: the text itself, a file, or standard input.
struct RequestData: Sendable {
    /// Maximum size in bytes of a body in memory. Such a body can be sent again, and inspected.
    static let memoryLimit = 1 << 20

    let argument: String
    let input: any ConsoleInput

    /// - Parameter mayRepeat: Whether the body is needed for more than one call.
    /// - Throws: `CommandFailure`: 66 for a file that cannot be read, 64 for a stream that cannot be sent twice.
    func body(mayRepeat: Bool) async throws -> UploadBody {
        guard argument.hasPrefix("@") else { return Self.inMemory(Data(argument.utf8)) }
        let path = String(argument.dropFirst())
        let source = try DescriptorSource.open(path, or: input)
        var start = Data()
        while start.count <= Self.memoryLimit {
            guard let piece = try await source.next() else { return Self.inMemory(start) }
            start.append(piece)
        }
        if path != "-", let size = source.size {
            return .stream(length: size, isReplayable: true, contentType: Self.bytesType) { [input] in
                ByteChunks(try Self.reopened(path, input))
            }
        }
        guard !mayRepeat else {
            throw CommandFailure(
                .usage,
                "More than \(Self.memoryLimit) bytes from a pipe cannot be sent more than once. Write them to a file and "
                    + "use -d @FILE.")
        }
        return .stream(length: nil, isReplayable: false, contentType: Self.bytesType) { [start] in
            PrefixedChunks(start: start, rest: source)
        }
    }

    private static func reopened(_ path: String, _ input: any ConsoleInput) throws(NetworkError) -> any ByteSource {
        do { return try DescriptorSource.open(path, or: input) } catch {
            throw NetworkError(.storage(error.message ?? "File '\(path)' cannot be read."))
        }
    }

    private static func inMemory(_ bytes: Data) -> UploadBody {
        let isJSON = (try? WireJSON.decode(JSONValue.self, from: bytes)) != nil
        return .bytes(bytes, contentType: isJSON ? "application/json" : bytesType)
    }

    private static let bytesType = "application/octet-stream"
}

/// The bytes read already, then the rest of the source.
private struct PrefixedChunks: AsyncSequence, Sendable {
    let start: Data
    let rest: any ByteSource

    func makeAsyncIterator() -> Iterator { Iterator(start: start, rest: rest) }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate var start: Data?
        fileprivate let rest: any ByteSource

        mutating func next() async throws -> Data? {
            if let start {
                self.start = nil
                return start
            }
            return try await rest.next()
        }
    }
}
