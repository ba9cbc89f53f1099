import AsyncHTTPClient
import NIOHTTP1
import StrataConcurrency
import StrataDomain
import StrataNetworking

/// Requests without fields and body, by their URLs: most calls ask for what was asked for before, and reading a URL costs
/// the client more than all else that it does before it sends.
final class Targets: Sendable {
    /// URLs that are remembered; then it begins anew.
    static let capacity = 64
    /// Bytes of path and query up to which a URL is remembered.
    static let longest = 512

    private struct Target: Hashable {
        let url: HTTPURL
        let method: StrataDomain.HTTPMethod
    }

    private let known = Mutex<[Target: HTTPClient.Request]>([:])

    /// How many are remembered.
    var count: Int { known.withLock(\.count) }

    /// - Throws: `HTTPClientError` for what the client cannot ask for.
    func request(_ method: StrataDomain.HTTPMethod, _ url: HTTPURL) throws -> HTTPClient.Request {
        let target = Target(url: url, method: method)
        if let request = known.withLock({ $0[target] }) { return request }
        let request = try HTTPClient.Request(
            url: url.description, method: NIOHTTP1.HTTPMethod(rawValue: method.rawValue))
        guard url.path.utf8.count + (url.query?.utf8.count ?? 0) <= Self.longest else { return request }
        known.withLock { known in
            if known.count >= Self.capacity { known.removeAll(keepingCapacity: true) }
            known[target] = request
        }
        return request
    }
}
