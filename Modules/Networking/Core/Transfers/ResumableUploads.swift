public import StrataDomain
import StrataSystem

/// Uploads files in one request while nothing fails, and resumes an interrupted transfer within a call and in the next run
/// (draft-ietf-httpbis-resumable-upload).
///
/// An empty request creates the upload; the next one sends the file. A record in a directory of this machine has the address of
/// the upload until it is complete, or for 30 days. The file is read from disk in pieces, once, and again from the offset of the server after a
/// failure.
///
/// An upload without a deadline may take 24 hours. The idle timeout of the transport ends a dead connection.
public struct ResumableUploads: ResumableUploader {
    /// Total time of an upload that names none.
    public static let longestTime = Duration.seconds(24 * 3600)

    private let client: HTTPAPIClient
    private let resilience: Resilience
    private let records: String

    /// - Parameters:
    ///   - resilience: Of the client: its clock and its retry policy, which also applies to broken transfers.
    ///   - records: The directory of the records, created with mode 0700 on first use.
    public init(client: HTTPAPIClient, resilience: Resilience, records: String) {
        self.client = client
        self.resilience = resilience
        self.records = records
    }

    public func upload<E: Endpoint>(
        _ endpoint: E, _ request: UploadRequest, options: CallOptions
    ) async throws(NetworkError) -> UploadedFile<E.Response>? {
        var raw = try client.raw(endpoint)
        // Each request of the upload gets its own.
        raw.headers[FieldName.requestId] = nil
        raw.headers[FieldName.idempotencyKey] = nil
        let target: HTTPURL
        do { target = try HTTPURL(raw.url) } catch { throw NetworkError(.invalidRequest(error.description)) }
        let file = try await FileReader.reading(request.path).status
        guard let record = try await UploadRecordFile.open(in: records, target: raw.url, file: request.path) else {
            throw Self.isSending(request.path)
        }
        await UploadRecordFile.removeExpired(in: records, at: resilience.wallClock.now)
        let run = UploadRun(
            client: client, resilience: resilience, target: target, request: raw, upload: request, file: file,
            options: options.overlaying(endpoint.options), record: record)
        do throws(NetworkError) {
            let result = try await uploaded(run, as: E.self)
            await record.clear()
            await record.close()
            return result
        } catch {
            if error.endsUpload { await record.clear() }
            await record.close()
            throw error
        }
    }

    private func uploaded<E: Endpoint>(
        _ run: UploadRun, as endpoint: E.Type
    ) async throws(NetworkError) -> UploadedFile<E.Response>? {
        guard let (response, resumedFrom) = try await run.response() else { return nil }
        do {
            let value = try await response.decode(E.Response.self, in: E.json.or(client.options.json))
            return UploadedFile(
                response: APIResponse(head: response.head, value: value), resumedFrom: resumedFrom)
        } catch { throw NetworkError(error) }
    }

    private static func isSending(_ path: String) -> NetworkError {
        NetworkError(
            .conflict(
                Problem(
                    title: "In use", status: 409,
                    detail: "'\(path)' is being sent there by another process; run it again when that has ended.",
                    code: "idempotency_in_flight")))
    }
}

extension NetworkError {
    /// Whether the server has refused the upload for good, so that there is nothing to resume.
    fileprivate var endsUpload: Bool {
        switch kind {
        case .forbidden, .notFound, .validation, .decoding: true
        case .status: !isRetryable
        default: false
        }
    }
}
