import FoundationEssentials
import StrataDomain
import StrataNetworking

/// The places a secret of a call may stand in.
enum CarriedSecret: String, CaseIterable, Sendable {
    case bearer, keyHeader, keyQuery, token, password, authorization, cookie, customHeader, clientHeader, ownQuery,
        namedHeader

    static let text = "CANARY-7f3a"
    /// `text` as the password of a user, as it is sent.
    static let encoded = Data("ann:\(text)".utf8).base64EncodedString()

    /// Those that the client adds to each request for its origin.
    static let ofTheClient: Set<CarriedSecret> = [.bearer, .keyHeader, .keyQuery, .token, .password]

    var auth: AuthStyle {
        get throws {
            switch self {
            case .bearer: .bearer(FakeTokens(Self.text))
            case .keyHeader: .apiKey(Secret(Self.text), in: .header("X-API-Key"))
            case .keyQuery: .apiKey(Secret(Self.text), in: .query("key"))
            case .token: .token(Secret(Self.text))
            case .password: try .basic(user: "ann", password: Secret(Self.text))
            default: .none
            }
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

    /// Whether the secret stands in what the transport was asked, as it is or as a user's password is sent.
    static func shows(in request: ClientRequest) -> Bool {
        shows(in: request.url.description) || request.headers.contains { shows(in: $0.value) }
    }

    static func shows(in text: String) -> Bool { text.contains(Self.text) || text.contains(encoded) }
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
