import FoundationEssentials
import NIOHTTP1
import StrataDomain
import StrataNetworking

/// A response of the proxy itself: a problem document (RFC 9457).
struct Refusal: Error {
    let status: Int
    let detail: String

    init(status: Int, detail: String) {
        self.status = status
        self.detail = detail
    }

    /// The refusal that a failed request to `origin` becomes.
    init(_ error: any Error, _ origin: Origin) {
        if let refusal = error as? Refusal {
            self = refusal
            return
        }
        let error = error as? NetworkError ?? NetworkError(.unexpected("\(type(of: error))"))
        let status =
            switch error.kind {
            case .timeout: 504
            case .invalidRequest: 400
            case .storage, .circuitOpen: 503
            case .unexpected: 500
            default: 502
            }
        self.init(
            status: status, detail: "\(origin) did not answer this request: \(NetworkError(error.kind).description).")
    }

    func response(at now: Date) -> ClientResponse {
        let title = HTTPResponseStatus(statusCode: status).reasonPhrase
        let bytes = (try? JSONEncoder().encode(Problem(title: title, status: status, detail: detail))) ?? Data()
        let fields: HeaderFields = [
            "Content-Type": "application/problem+json", "Content-Length": "\(bytes.count)",
            "Cache-Control": "no-store", "Date": HTTPDate.string(from: now),
        ]
        return ClientResponse(
            ResponseHead(status: status, reason: title, headers: fields), body: ResponseBody(bytes))
    }
}
