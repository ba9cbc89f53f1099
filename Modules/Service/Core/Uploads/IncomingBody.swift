import FoundationEssentials
import HTTPTypes
import Hummingbird
import NIOCore
import StrataDomain

/// The unread body of an upload: a form, or the content itself.
struct IncomingBody: Sendable {
    private let call: ServiceCall
    private let bodies: RequestBodyReader

    init(_ call: ServiceCall, bodies: RequestBodyReader) { (self.call, self.bodies) = (call, bodies) }

    /// Whether the request is one of draft-ietf-httpbis-resumable-upload. A form cannot be resumed and is received as one.
    var isResumable: Bool {
        let fields = call.request.headers
        return UploadFields.boolean(fields[values: .uploadComplete]) != nil
            && MediaType.essence(fields[.contentType] ?? "") != MultipartBoundary.mediaType
    }

    /// The time, on the clock of the service.
    var now: Date { call.receivedAt.addingTimeInterval(call.age / .seconds(1)) }

    /// - Throws: As `UploadReceiver`.
    func form(contentLimit: Int) throws -> UploadReceiver {
        try UploadReceiver(call, contentLimit: contentLimit, bodies: bodies)
    }

    /// Bytes of the body; `nil` for a body in chunks.
    ///
    /// - Throws: 400 for a malformed `Content-Length`.
    func length() throws -> Int? {
        if let declared = try bodies.declaredLength(call.request.headers) { return declared }
        return call.request.headers[.transferEncoding] == nil ? 0 : nil
    }

    /// Stores the bytes as they arrive, at the minimum rate or faster. Those of a body that is cut off are stored, too.
    ///
    /// - Parameter make: Makes what stores them and bounds them; called once.
    /// - Returns: The state of the upload after the last byte.
    /// - Throws: 400, 408; what the functions of the sink throw.
    func receive(into make: @escaping @Sendable () -> PieceSink) async throws -> UploadState {
        let declared = try length()
        guard declared != 0 else { return try await make().finish() }
        call.acceptBody()
        let progress = BodyProgress()
        return try await bodies.requiringRate(of: progress) {
            let stream = RequestBodyStream(call, declared: declared, limit: .max, progress: progress)
            let sink = make()
            do {
                while let bytes = try await stream.next() { try await sink.append(bytes) }
                return try await sink.finish()
            } catch {
                await sink.interrupt()
                throw error
            }
        }
    }
}
