import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1
import StrataDomain

extension Response {
    /// The problem document of an error (RFC 9457). Internal details go to the log, never to the caller.
    init(_ error: any Error, of call: ServiceCall) {
        if error is HTTPParserError { call.notes.body = .interrupted }
        let failure = ServiceError(mapping: error)
        if let lost = error as? BlobError, lost.kind != .failed {
            call.logger.error("a stored file is lost or damaged", metadata: ["error": "\(lost)"])
        } else if failure.problem.status == 500 {
            call.logger.error("unexpected error", metadata: ["error": "\(String(reflecting: error))"])
        } else if failure.problem.status > 500 {
            call.logger.warning("cannot serve", metadata: ["error": "\(error)"])
        }
        self.init(failure, requestId: call.requestId)
    }

    init(_ failure: ServiceError, requestId: String) {
        var problem = failure.problem
        problem.requestId = requestId
        var headers = HTTPFields(failure.headers)
        // Also for OAuth errors: RFC 6749, section 5.2, requires application/json, and its readers accept a `+json` type.
        headers[.contentType] = MediaType.problem
        headers[.cacheControl] = "no-store"
        let bytes = (try? WireJSON.encode(problem)).map { ByteBuffer(bytes: $0) }
        self.init(
            status: HTTPResponse.Status(code: problem.status), headers: headers,
            body: bytes.map { ResponseBody(byteBuffer: $0) } ?? ResponseBody())
    }
}
