import Foundation
import StrataDomain
import StrataNetworking
import StrataSystem

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
        let url = directory.appendingPathComponent("strata-upload-\(UUID.random().text)")
        let file: FileDescriptor
        do throws(Errno) { file = try openFile(url.path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW) } catch {
            throw failure("created", error, in: directory)
        }
        defer { file.release() }
        do {
            var length = 0
            for try await chunk in try await body.open() {
                try Task.checkCancellation()
                length += chunk.count
                guard length <= body.length ?? limit, length <= limit else {
                    throw NetworkError(.invalidRequest(tooLong(body, limit)))
                }
                do throws(Errno) { try file.append(chunk) } catch { throw failure("written", error, in: directory) }
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

    private static func tooLong(_ body: UploadBody, _ limit: Int) -> String {
        if let announced = body.length, announced <= limit { return "the body is longer than its \(announced) bytes" }
        return "the streamed body is longer than \(limit) bytes; raise spoolLimit or send it in parts"
    }

    private static func failure(_ verb: String, _ error: Errno, in directory: URL) -> NetworkError {
        NetworkError(.invalidRequest("its body cannot be \(verb) in '\(directory.path)': \(error)"))
    }
}
