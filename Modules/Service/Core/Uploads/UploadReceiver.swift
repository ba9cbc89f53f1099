import HTTPTypes
import Hummingbird
import StrataDomain

/// Receives the body of one upload at the minimum rate or faster.
struct UploadReceiver: Sendable {
    private let call: ServiceCall
    private let bodies: RequestBodyReader
    private let boundary: MultipartBoundary
    private let declared: Int?
    private let limit: Int

    /// Bytes of headers and boundaries that a form may have besides its content.
    private static let framing = 256 * 1024

    /// - Throws: 415 and 400 for a body that is no form; 413 for a declared length above the limit.
    init(_ call: ServiceCall, contentLimit: Int, bodies: RequestBodyReader) throws {
        self.call = call
        self.bodies = bodies
        boundary = try MultipartBoundary(contentType: call.request.headers[values: .contentType])
        declared = try bodies.declaredLength(call.request.headers)
        limit = contentLimit + Self.framing
        if let declared, declared > limit { throw ServiceError.bodyTooLarge(contentLimit) }
    }

    /// - Throws: 400, 408, 413; what `body` throws.
    func receive<Received: Sendable>(
        _ body: @escaping @Sendable (UploadForm) async throws -> Received
    ) async throws -> Received {
        call.acceptBody()
        let progress = BodyProgress()
        return try await bodies.requiringRate(of: progress) {
            let stream = RequestBodyStream(call, declared: declared, limit: limit, progress: progress)
            return try await body(UploadForm(boundary: boundary) { try await stream.next() })
        }
    }
}
