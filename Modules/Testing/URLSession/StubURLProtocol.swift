public import Foundation
import StrataConcurrency
import StrataHTTP

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Responds in place of the network in a `URLSession`, by host.
///
/// ```swift
/// let host = StubURLProtocol.stub(.init(status: 503))
/// let transport = URLSessionTransport(protocolClasses: [StubURLProtocol.self])
/// let client = try HTTPAPIClient(baseURL: "http://\(host)", transport: transport, resilience: resilience)
/// ```
public final class StubURLProtocol: URLProtocol {
    /// What every request to one host receives.
    public struct Response: Sendable {
        /// The status, such as 200.
        public var status: Int
        /// The fields.
        public var headers: [String: String]
        /// The body, in the pieces in which it arrives.
        public var chunks: [Data]
        /// Comes after the chunks. The head is sent before it only if there are chunks.
        public var failure: URLError.Code?

        /// A response; without chunks its body is empty.
        public init(
            status: Int = 200, headers: [String: String] = [:], chunks: [Data] = [], failure: URLError.Code? = nil
        ) {
            self.status = status
            self.headers = headers
            self.chunks = chunks
            self.failure = failure
        }
    }

    private struct Host {
        let respond: @Sendable (URLRequest) -> Response
        var requests: [URLRequest] = []
    }

    private static let hosts = Mutex<[String: Host]>([:])

    /// - Returns: A host of its own, which responds with `response` until the process ends.
    public static func stub(_ response: Response) -> String { stub { _ in response } }

    /// - Parameter respond: Called for each request.
    /// - Returns: A host of its own, which responds until the process ends.
    public static func stub(_ respond: @escaping @Sendable (URLRequest) -> Response) -> String {
        let host = "stub-\(UUID().text).test"
        hosts.withLock { $0[host] = Host(respond: respond) }
        return host
    }

    /// The requests to `host` so far, in order.
    public static func requests(of host: String) -> [URLRequest] { hosts.withLock { $0[host]?.requests ?? [] } }

    /// Takes the requests that name a stub.
    override public class func canInit(with request: URLRequest) -> Bool {
        guard let host = request.url?.host else { return false }
        return hosts.withLock { $0[host] != nil }
    }

    /// The request as it is.
    override public class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    /// Answers with the stub of the request.
    override public func startLoading() {
        let request = request
        guard let url = request.url, let host = url.host else { return }
        let respond = Self.hosts.withLock { hosts in
            hosts[host]?.requests.append(request)
            return hosts[host]?.respond
        }
        guard let stubbed = respond?(request) else { return }
        if stubbed.failure == nil || !stubbed.chunks.isEmpty,
            let head = HTTPURLResponse(
                url: url, statusCode: stubbed.status, httpVersion: "HTTP/1.1", headerFields: stubbed.headers)
        {
            client?.urlProtocol(self, didReceive: head, cacheStoragePolicy: .notAllowed)
        }
        for chunk in stubbed.chunks { client?.urlProtocol(self, didLoad: chunk) }
        if let failure = stubbed.failure {
            client?.urlProtocol(self, didFailWithError: URLError(failure))
        } else {
            client?.urlProtocolDidFinishLoading(self)
        }
    }

    /// Does nothing: an answer is not interrupted.
    override public func stopLoading() {}
}
