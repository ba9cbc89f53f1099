import Foundation
import StrataDomain
import StrataNetworking

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A request body in a form that libcurl can read without waiting.
///
/// FoundationNetworking takes the silence of a stream for its end, or blocks the queue of the whole session. So a
/// streamed body is written to a file of our own first, and sent from there with its length.
enum Upload: Sendable {
    case none
    case bytes(Data)
    case file(URL)

    /// - Throws: `.invalidRequest` for a stream that is longer than `limit`, or not as long as it said; what the stream
    ///   throws, unchanged.
    init(_ body: UploadBody?, limit: Int, directory: URL) async throws {
        guard let body else {
            self = .none
            return
        }
        if let bytes = body.bytes {
            self = bytes.isEmpty ? .none : .bytes(bytes)
        } else {
            self = try await Self.spool(body, limit: limit, directory: directory)
        }
    }

    func remove() { if case .file(let url) = self { unlink(url.path) } }

    /// Concurrent, because it writes to the disk.
    @concurrent
    private static func spool(_ body: UploadBody, limit: Int, directory: URL) async throws -> Upload {
        let url = directory.appendingPathComponent("strata-upload-\(UUID().uuidString)")
        let file = open(url.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw failure("created", in: directory) }
        defer { close(file) }
        do {
            var length = 0
            for try await chunk in try await body.open() {
                try Task.checkCancellation()
                length += chunk.count
                guard length <= body.length ?? limit, length <= limit else {
                    throw NetworkError(.invalidRequest(tooLong(body, limit)))
                }
                try write(chunk, to: file, directory)
            }
            // A cancelled stream may just end; half a body must not pass for a whole one.
            try Task.checkCancellation()
            if let announced = body.length, announced != length {
                throw NetworkError(.invalidRequest("the body has \(length) bytes, not \(announced) as it said"))
            }
            if length == 0 {
                unlink(url.path)
                return .none
            }
            return .file(url)
        } catch {
            unlink(url.path)
            throw error is CancellationError ? NetworkError(.cancelled) : error
        }
    }

    private static func write(_ chunk: Data, to file: CInt, _ directory: URL) throws {
        try chunk.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = unsafeWrite(file, UnsafeRawBufferPointer(rebasing: rest))
                if count > 0 {
                    rest = rest.dropFirst(count)
                } else if errno != EINTR {
                    throw failure("written", in: directory)
                }
            }
        }
    }

    private static func tooLong(_ body: UploadBody, _ limit: Int) -> String {
        if let announced = body.length, announced <= limit { return "the body is longer than its \(announced) bytes" }
        return "the streamed body is longer than \(limit) bytes; raise spoolLimit or send it in parts"
    }

    private static func failure(_ verb: String, in directory: URL) -> NetworkError {
        let why = String(cString: strerror(errno))
        return NetworkError(.invalidRequest("its body cannot be \(verb) in '\(directory.path)': \(why)"))
    }
}

private func unsafeWrite(_ file: CInt, _ bytes: UnsafeRawBufferPointer) -> Int {
    #if canImport(Glibc)
        Glibc.write(file, bytes.baseAddress, bytes.count)
    #elseif canImport(Musl)
        Musl.write(file, bytes.baseAddress, bytes.count)
    #else
        Darwin.write(file, bytes.baseAddress, bytes.count)
    #endif
}
