import FoundationEssentials
import HTTPTypes
import Hummingbird
import NIOCore
import StrataConcurrency
import StrataDomain

extension Response {
    /// The response, or 304 when the caller's copy is current (RFC 9110, section 13.1.2).
    init(_ response: EncodedResponse, to request: Request) {
        var headers = HTTPFields(response.headers)
        let conditions = request.headers[values: .ifNoneMatch]
        if !conditions.isEmpty, request.method == .get || request.method == .head,
            let tag = response.headers["ETag"].flatMap(EntityTag.init(parameter:)), IfNoneMatch.names(tag, conditions)
        {
            headers[.contentType] = nil
            headers[.nextPage] = nil
            self.init(status: .notModified, headers: headers)
            return
        }
        self.init(
            status: HTTPResponse.Status(code: response.status), headers: headers, body: ResponseBody(response.body))
    }

    /// The same response. It holds `permit` until its content is written or dropped.
    func holding(_ permit: some Sendable) -> Response {
        var response = self
        let body = body
        response.body = ResponseBody(contentLength: body.contentLength) { writer in
            try await body.write(writer)
            withExtendedLifetime(permit) {}
        }
        return response
    }
}

extension ResponseBody {
    /// Bytes in memory.
    fileprivate init(_ bytes: Data) {
        if bytes.isEmpty {
            self.init()
        } else if bytes.count <= LargeBodies.Smallest.response {
            self.init(byteBuffer: ByteBuffer(bytes: bytes))
        } else {
            self.init(pacing: ByteBuffer(bytes: bytes))
        }
    }

    /// Sends bytes, and ends when all but a few of them are in the socket.
    private init(pacing bytes: ByteBuffer) {
        self.init(contentLength: bytes.readableBytes) { writer in
            var pacing = WritePacing()
            try await writer.write(bytes)
            // Then the connection is known to be full, and `finish` waits for the reader.
            try await pacing.wrote(bytes.readableBytes)
            try await writer.finish(nil)
        }
    }
}
