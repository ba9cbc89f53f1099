import FoundationEssentials
import NIOCore
import NIOHTTP1
import StrataDomain
import StrataNetworking

extension OriginConnection {
    /// Writes the request, a piece after the other has been taken. What goes wrong ends the exchange.
    func send(_ head: HTTPRequestHead, _ body: UploadBody?) async {
        do {
            guard let body else {
                channel.write(HTTPClientRequestPart.head(head), promise: nil)
                return try await channel.writeAndFlush(HTTPClientRequestPart.end(nil)).get()
            }
            try await channel.writeAndFlush(HTTPClientRequestPart.head(head)).get()
            let written = try await write(body)
            if let length = body.length, written < length {
                throw NetworkError(.invalidRequest("its body ended after \(written) of \(length) bytes"))
            }
            try await channel.writeAndFlush(HTTPClientRequestPart.end(nil)).get()
        } catch is ChannelError {
            // The connection has ended, which its reading side tells.
        } catch {
            fail(error)
        }
    }

    /// - Returns: How many bytes it had.
    private func write(_ body: UploadBody) async throws -> Int {
        var written = 0
        for try await chunk in try await body.open() {
            try Task.checkCancellation()
            written += chunk.count
            if let length = body.length, written > length {
                throw NetworkError(.invalidRequest("its body is longer than the \(length) bytes it was said to have"))
            }
            try await channel.writeAndFlush(HTTPClientRequestPart.body(.byteBuffer(ByteBuffer(bytes: chunk)))).get()
        }
        return written
    }
}

extension HTTPRequestHead {
    /// - Throws: `.invalidRequest` for another scheme than `http`, and for a field that cannot be sent.
    init(_ request: ClientRequest) throws {
        guard request.url.origin.scheme == "http" else {
            throw NetworkError(.invalidRequest("this transport speaks no TLS; use it for http:// only"))
        }
        let origin = request.url.origin
        var fields = HTTPHeaders()
        fields.add(name: "Host", value: origin.isDefaultPort ? origin.urlHost : "\(origin.urlHost):\(origin.port)")
        for field in request.headers where !Self.own.contains(field.name.lowercased()) {
            guard field.isSendable else {
                throw NetworkError(
                    .invalidRequest("a header field has an illegal character in its name or value"))
            }
            fields.add(name: field.name, value: field.value)
        }
        if let body = request.body {
            if let length = body.length {
                fields.add(name: "Content-Length", value: "\(length)")
            } else {
                fields.add(name: "Transfer-Encoding", value: "chunked")
            }
        } else if [.post, .put, .patch].contains(request.method) {
            // RFC 9110, section 8.6: says that no body follows where one would be expected.
            fields.add(name: "Content-Length", value: "0")
        }
        self.init(
            version: .http1_1, method: NIOHTTP1.HTTPMethod(rawValue: request.method.rawValue),
            uri: request.url.target, headers: fields)
    }

    /// What this transport writes itself.
    private static let own: Set = ["host", "content-length", "transfer-encoding", "connection"]
}
