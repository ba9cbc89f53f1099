import Foundation
import StrataDomain

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension NetworkError {
    /// What URLSession met. `.offline` says that provably nothing was sent.
    init(transport error: any Error) {
        switch error {
        case let error as NetworkError: self = error
        case is CancellationError: self.init(.cancelled)
        case let error as URLError: self.init(Kind(error.code, text: Self.text(of: error)))
        default: self.init(.connectionLost("\(type(of: error))"))
        }
    }

    /// The words of libcurl, where they came through.
    private static func text(of error: URLError) -> String {
        let inner = error.userInfo[NSUnderlyingErrorKey] as? NSError
        return inner?.localizedDescription ?? error.localizedDescription
    }
}

extension NetworkError.Kind {
    /// FoundationNetworking has one code for most of what libcurl tells apart, so the words decide.
    ///
    /// Not even the code for a refused connection is proof: it also comes when the first address of a host refused, the
    /// second one was connected, and the response broke off.
    fileprivate init(_ code: URLError.Code, text: String) {
        let short = String(text.prefix(200))
        let words = text.lowercased()
        func holds(_ phrases: [String]) -> Bool { phrases.contains { words.contains($0) } }
        self =
            switch code {
            case .cancelled: .cancelled
            case .timedOut: .timeout
            case _ where holds(unsent): .offline(short)
            // An established connection that broke: libcurl names the TLS library all the same.
            case _ where holds(["ssl_read", "ssl_write"]): .connectionLost(short)
            case _ where holds(untrusted): .tls(short)
            case .unsupportedURL: .invalidResponse("it is no legal HTTP (\(short))")
            case _ where holds(illegal): .invalidResponse("it is no legal HTTP (\(short))")
            case .badServerResponse: .connectionLost("the server closed the connection")
            default: .connectionLost(short)
            }
    }
}

/// What libcurl says when it has no connection.
private let unsent = ["failed to connect", "couldn't connect", "could not connect", "resolve host"]
/// What libcurl and OpenSSL say when the handshake failed.
private let untrusted = ["ssl routines", "ssl connect", "certificate", "tls connect", "handshake"]
/// What libcurl says of an answer it cannot read; the last ones of a head that is too long or has illegal bytes.
private let illegal = [
    "http/0.9", "http version", "content-length", "chunk", "hexadecimal", "unencoding", "nul byte", "without colon",
    "weird server reply", "response header", "giant realloc", "writing header", "out of memory", "malformed",
]
