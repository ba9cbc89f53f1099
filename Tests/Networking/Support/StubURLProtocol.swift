import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Answers in the place of the network, by host: each test uses a host of its own.
final class StubURLProtocol: URLProtocol {
    struct Answer: Sendable {
        var status = 200
        var headers: [String: String] = [:]
        var chunks: [String] = []
        /// Comes after the chunks; the head is sent before it only when there are chunks.
        var failure: URLError.Code?
    }

    private static let answers = Shared<[String: Answer]>([:])
    private static let seen = Shared<[String: [URLRequest]]>([:])

    /// - Returns: The host to ask.
    static func stub(_ answer: Answer) -> String {
        let host = "stub-\(UUID().uuidString.lowercased()).test"
        answers.change { $0[host] = answer }
        return host
    }

    static func requests(of host: String) -> [URLRequest] { seen.value[host] ?? [] }

    override class func canInit(with request: URLRequest) -> Bool {
        request.url?.host.map { answers.value[$0] != nil } ?? false
    }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        guard let url = request.url, let host = url.host, let answer = Self.answers.value[host] else { return }
        let request = request
        Self.seen.change { $0[host, default: []].append(request) }
        if answer.failure == nil || !answer.chunks.isEmpty,
            let response = HTTPURLResponse(
                url: url, statusCode: answer.status, httpVersion: "HTTP/1.1", headerFields: answer.headers)
        {
            client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        }
        for chunk in answer.chunks { client?.urlProtocol(self, didLoad: Data(chunk.utf8)) }
        if let failure = answer.failure {
            client?.urlProtocol(self, didFailWithError: URLError(failure))
        } else {
            client?.urlProtocolDidFinishLoading(self)
        }
    }

    override func stopLoading() {}
}
