import FoundationEssentials
import StrataDomain
import StrataNetworking

/// The places a secret of a call may stand in.
enum CarriedSecret: String, CaseIterable, Sendable {
    case bearer, keyHeader, keyQuery, authorization, cookie, customHeader, clientHeader, ownQuery, namedHeader

    static let text = "CANARY-7f3a"

    var auth: AuthStyle {
        switch self {
        case .bearer: .bearer(FakeTokens(Self.text))
        case .keyHeader: .apiKey(Secret(Self.text), in: .header("X-API-Key"))
        case .keyQuery: .apiKey(Secret(Self.text), in: .query("key"))
        default: .none
        }
    }

    var headers: HeaderFields {
        switch self {
        case .authorization: ["authorization": "Basic \(Self.text)"]
        case .cookie: ["Cookie": "a=1; session=\(Self.text)"]
        case .customHeader: ["X-Auth-Token": Self.text]
        case .namedHeader: ["X-Pin": Self.text]
        default: [:]
        }
    }

    var query: String { self == .ownQuery ? "?access_token=\(Self.text)" : "" }

    func options(coalescesReads: Bool = false) throws -> ClientOptions {
        try ClientOptions(
            headers: self == .clientHeader ? ["X-Api-Key": Self.text] : [:],
            redaction: Redaction(alsoRedacting: ["X-Pin"]), coalescesReads: coalescesReads)
    }

    /// Whether the secret stands in what the transport was asked.
    static func shows(in request: ClientRequest) -> Bool {
        request.url.description.contains(text) || request.headers.contains { $0.value.contains(text) }
    }
}

extension HTTPAPIClient {
    /// The answer to a request stated by hand.
    func raw(
        _ method: HTTPMethod = .get, _ url: String, headers: HeaderFields = [:], body: UploadBody? = nil,
        upTo limit: Int = 1 << 20, _ options: CallOptions = CallOptions()
    ) async throws(NetworkError) -> RawResponse {
        try await collect(
            RawRequest(method, url, headers: headers, body: body), upTo: limit, options: options, events: { _ in })
    }
}
