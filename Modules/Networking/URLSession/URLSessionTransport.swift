import Foundation
import StrataDomain
public import StrataNetworking

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The transport on Foundation's URLSession, for programs that must not link SwiftNIO.
///
/// It follows no redirect, keeps no cookie and no cache, and has no total time limit: these belong to the pipeline. A
/// response that is not read to its end closes its connection. What it cannot do is listed in its README.
public final class URLSessionTransport: Transport {
    private let options: URLSessionOptions
    private let directory: URL
    private let session: URLSession
    private let events = SessionEvents()
    private let inFlight = InFlight()

    /// - Parameter protocolClasses: `URLProtocol` classes that are asked before the network is; for tests.
    public convenience init(_ options: URLSessionOptions = .standard, protocolClasses: [AnyClass] = []) {
        self.init(options, protocolClasses: protocolClasses, directory: FileManager.default.temporaryDirectory.path)
    }

    /// - Parameter directory: Where streamed request bodies are stored while they are sent.
    package init(_ options: URLSessionOptions, protocolClasses: [AnyClass] = [], directory: String) {
        self.options = options
        self.directory = URL(fileURLWithPath: directory, isDirectory: true)
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = TimeInterval(options.idleTimeout.components.seconds)
        configuration.httpMaximumConnectionsPerHost = options.connectionsPerOrigin
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.httpCookieAcceptPolicy = .never
        configuration.httpShouldSetCookies = false
        configuration.urlCredentialStorage = nil
        if !protocolClasses.isEmpty {
            configuration.protocolClasses = protocolClasses + (configuration.protocolClasses ?? [])
        }
        session = URLSession(configuration: configuration, delegate: events, delegateQueue: nil)
    }

    deinit { session.invalidateAndCancel() }

    public func send(_ request: ClientRequest, receive: @escaping Receive) async throws {
        guard inFlight.begin() else { throw NetworkError(.invalidRequest("the transport is shut down")) }
        defer { inFlight.end() }
        var outgoing = try URLRequest(request)
        if let idle = request.context.idleTimeout {
            // FoundationNetworking cuts off what is less than a second.
            outgoing.timeoutInterval = TimeInterval(max(1, min(idle, .seconds(3600)).components.seconds))
        }
        let upload = try await Upload(request.body, limit: options.spoolLimit, directory: directory)
        defer { upload.remove() }
        try await withSession(for: request.method, upload) { session in
            let task = try session.task(outgoing, upload)
            let exchange = Exchange(task, unreadLimit: options.unreadLimit)
            events.add(exchange, for: task)
            defer {
                task.cancel()
                events.remove(task)
            }
            let head = try await exchange.start()
            try await receive(ClientResponse(head, body: ResponseBody(Exchange.Body(exchange: exchange))))
        }
    }

    /// Takes no new request, waits for those in flight up to the grace time, then closes every connection.
    ///
    /// Safe to call more than once; the calls after the first return at once.
    public func shutdown() async {
        guard inFlight.close() else { return }
        await inFlight.drained(within: options.grace)
        for exchange in events.all { exchange.fail(NetworkError(.cancelled)) }
        session.invalidateAndCancel()
    }

    /// A session whose connections may be used again, or one for this request alone.
    ///
    /// libcurl sends a request once more, unasked, when a connection it had used before ends without a response, and waits
    /// forever for a body that it has sent already. Only what may be repeated and has no body goes where that can happen.
    private func withSession(
        for method: HTTPMethod, _ upload: Upload, _ body: (URLSession) async throws -> Void
    ) async throws {
        if case .none = upload, method.isIdempotent { return try await body(session) }
        let own = URLSession(configuration: session.configuration, delegate: events, delegateQueue: nil)
        defer { own.finishTasksAndInvalidate() }
        try await body(own)
    }
}

extension URLSession {
    /// - Throws: `.invalidRequest` for a GET or HEAD with a body, which FoundationNetworking refuses or never finishes.
    fileprivate func task(_ request: URLRequest, _ upload: Upload) throws -> URLSessionTask {
        if case .none = upload { return dataTask(with: request) }
        guard request.httpMethod != "GET", request.httpMethod != "HEAD" else {
            throw NetworkError(.invalidRequest("URLSession sends no body with \(request.httpMethod ?? "GET")"))
        }
        switch upload {
        case .none: return dataTask(with: request)
        case .bytes(let bytes): return uploadTask(with: request, from: bytes)
        case .file(let url): return uploadTask(with: request, fromFile: url)
        }
    }
}
