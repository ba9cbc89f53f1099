import StrataDomain

/// What follows an answer, as far as redirects are concerned (RFC 9110, section 15.4). Pure.
enum RedirectDecision: Sendable {
    /// No redirect: the answer is the caller's.
    case answer
    case follow(ClientRequest)
    /// A redirect that must not be followed, and why.
    case refuse(String)

    /// - Parameters:
    ///   - trusted: Origins that may see the secrets of the call.
    ///   - visited: What this call has asked so far, this request included.
    ///   - limit: Redirects that a call may follow.
    ///   - redaction: Names further fields that hold a credential.
    init(
        _ request: ClientRequest, _ head: ResponseHead, trusted: Set<Origin>, visited: [Visit], limit: Int,
        redaction: Redaction = .standard
    ) {
        guard Self.statuses.contains(head.status) else {
            self = .answer
            return
        }
        let locations = Set(head.headers.values("Location").map(\.trimmed))
        guard let location = locations.first else {
            self = .answer
            return
        }
        do throws(OptionsError) {
            guard locations.count == 1 else { throw OptionsError("It names \(locations.count) different targets.") }
            let next = try Self.next(request, head.status, try request.url.resolving(location), trusted, redaction)
            guard visited.count <= limit else { throw OptionsError("\(limit) redirects were followed already.") }
            guard !visited.contains(Visit(next)) else { throw OptionsError("The redirects go round in a circle.") }
            self = .follow(next)
        } catch {
            // The sentence may repeat a part of the target.
            let isSafe = !request.context.holdsSecret(error.description)
            self = .refuse(isSafe ? error.description : "Its target contains a secret of this call.")
        }
    }

    static let statuses: Set = [301, 302, 303, 307, 308]

    private static func next(
        _ request: ClientRequest, _ status: Int, _ url: HTTPURL, _ trusted: Set<Origin>,
        _ redaction: Redaction
    ) throws(OptionsError) -> ClientRequest {
        guard request.url.origin.scheme == "http" || url.origin.scheme == "https" else {
            throw OptionsError("It leads from https to plain http at \(url.origin).")
        }
        var next = request
        next.url = url
        if changesToGet(status, request.method) {
            next.method = .get
            next.body = nil
            for name in contentFields { next.headers[name] = nil }
            next.headers[FieldName.idempotencyKey] = nil
        } else if !request.isReplayable {
            throw OptionsError("The body cannot be sent again.")
        }
        if url.origin != request.url.origin {
            let context = request.context
            guard !trusted.contains(url.origin) else {
                next.headers = next.headers.withoutCredentials(redaction)
                return next
            }
            // The name of a host is shown to every resolver on the way.
            guard !context.holdsSecret(url.description) else {
                throw OptionsError("Its target at another origin contains a secret of this call.")
            }
            next.headers = next.headers.forForeignOrigin(holdsSecret: context.holdsSecret)
        }
        return next
    }

    /// What describes a body, and goes with it (RFC 9110, section 15.4).
    private static let contentFields = [
        "Content-Type", "Content-Encoding", "Content-Language", "Content-Location", "Content-Digest", "Repr-Digest",
        "Digest", "Content-MD5", "Content-Range", "Last-Modified",
    ]

    /// 303 asks for a GET; a POST answered with 301 or 302 becomes one, as every browser does it.
    private static func changesToGet(_ status: Int, _ method: HTTPMethod) -> Bool {
        switch status {
        case 303: method != .head && method != .get
        case 301, 302: method == .post
        default: false
        }
    }
}

/// A place a call has been to.
struct Visit: Equatable, Sendable {
    private let method: HTTPMethod
    private let url: HTTPURL

    init(_ request: ClientRequest) {
        method = request.method
        url = request.url
    }
}
