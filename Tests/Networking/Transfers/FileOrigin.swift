import Crypto
import FoundationEssentials
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

/// Answers as a correct server of one file does, or with one thing wrong.
struct FileOrigin: Sendable {
    var content: Data
    var headers: HeaderFields = ["ETag": "\"v1\""]

    static func bytes(_ count: Int) -> Data { Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 >> 2) }) }

    /// - Parameters:
    ///   - cut: Bytes of the body after which the connection is lost; `nil` sends all.
    ///   - change: Applied to the head of the answer.
    func answer(
        cut: Int? = nil, _ change: @escaping @Sendable (inout ResponseHead) -> Void = { _ in }
    ) -> ScriptedTransport.Answer {
        ScriptedTransport.Answer { request in
            var (head, body) = plain(request.headers)
            change(&head)
            let sent = cut.map { body.prefix($0) } ?? body
            let chunks = stride(from: 0, to: sent.count, by: 1000).map { Data(sent.dropFirst($0).prefix(1000)) }
            let stream = AsyncThrowingStream<Data, any Error> { continuation in
                for chunk in chunks { continuation.yield(chunk) }
                continuation.finish(throwing: cut.map { _ in NetworkError(.connectionLost("cut")) })
            }
            return ClientResponse(head, body: ResponseBody(stream))
        }
    }

    /// Status, header fields and body, as RFC 9110, section 14, has them.
    func plain(_ request: HeaderFields) -> (ResponseHead, Data) {
        var fields = headers
        let validator = request["If-Range"]
        let isSame = validator == nil || validator == fields["ETag"] || validator == fields["Last-Modified"]
        guard isSame, let range = request["Range"], let start = Int(range.dropFirst(6).dropLast()) else {
            fields["Content-Length"] = String(content.count)
            return (ResponseHead(status: 200, headers: fields), content)
        }
        guard start < content.count else {
            fields["Content-Range"] = "bytes */\(content.count)"
            return (ResponseHead(status: 416, headers: fields), Data())
        }
        fields["Content-Range"] = "bytes \(start)-\(content.count - 1)/\(content.count)"
        fields["Content-Length"] = String(content.count - start)
        return (ResponseHead(status: 206, headers: fields), content.dropFirst(start))
    }

    var sha256: ContentDigest { get throws { try #require(ContentDigest(.sha256, Data(SHA256.hash(data: content)))) } }
    var sha512: ContentDigest { get throws { try #require(ContentDigest(.sha512, Data(SHA512.hash(data: content)))) } }
}
