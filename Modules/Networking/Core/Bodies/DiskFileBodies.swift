import FoundationEssentials
public import StrataDomain
import StrataSystem

/// Makes bodies of files on the local disk: a piece of 64 KiB in memory at a time, the file open only while it is sent.
public struct DiskFileBodies: FileBodies {
    public init() {}

    public func body(ofFileAt path: String, contentType: String?) async throws(NetworkError) -> UploadBody {
        let noted = try await FileReader.reading(path).status
        return .stream(length: Int(noted.size), isReplayable: true, contentType: contentType) {
            FilePieces(reader: try await FileReader.reading(path, unchangedSince: noted))
        }
    }
}

private struct FilePieces: AsyncSequence, Sendable {
    typealias Element = Data
    typealias Failure = any Error
    let reader: FileReader

    func makeAsyncIterator() -> Iterator { Iterator(reader: reader) }

    struct Iterator: AsyncIteratorProtocol {
        let reader: FileReader

        func next() async throws -> Data? { try await reader.read() }
    }
}
