import StrataDomain

/// Whether a response is a redirect, and the request that follows it (RFC 9110, section 15.4). Pure.
enum RedirectDecision: Sendable {
    /// No redirect: the response is the caller's.
    case answer
    case follow(ClientRequest)
    /// A redirect that must not be followed, and why.
    case refuse(String)

    /// - Parameters:
    ///   - trusted: Origins that may see the secrets of the call.
    ///   - earlier: The requests of this call before this one.
    ///   - limit: Redirects that a call may follow.
    ///   - redaction: Names further fields that hold a credential.
    init(
        _ request: ClientRequest, _ head: ResponseHead, trusted: Set<Origin>, earlier: [Visit], limit: Int,
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
        do throws(RedirectRefusal) {
            guard locations.count == 1 else { throw RedirectRefusal("It names \(locations.count) different targets.") }
            let target: HTTPURL
            do { target = try request.url.resolving(location) } catch { throw RedirectRefusal(error.description) }
            let next = try Self.next(request, head.status, target, trusted, redaction)
            guard earlier.count < limit else { throw RedirectRefusal("\(limit) redirects were followed already.") }
            guard !(earlier + [Visit(request)]).contains(Visit(next)) else {
                throw RedirectRefusal("The redirects go round in a circle.")
            }
            self = .follow(next)
        } catch {
            // The sentence may repeat a part of the target.
            let isSafe = !request.context.secrets.occur(in: error.reason)
            self = .refuse(isSafe ? error.reason : "Its target contains a secret of this call.")
        }
    }

    static let statuses: Set = [301, 302, 303, 307, 308]

    private static func next(
        _ request: ClientRequest, _ status: Int, _ url: HTTPURL, _ trusted: Set<Origin>,
        _ redaction: Redaction
    ) throws(RedirectRefusal) -> ClientRequest {
        guard request.url.origin.scheme == "http" || url.origin.scheme == "https" else {
            throw RedirectRefusal("It leads from https to plain http at \(url.origin).")
        }
        var next = request
        next.url = url
        if changesToGet(status, request.method) {
            next.method = .get
            next.body = nil
            for name in contentFields { next.headers[name] = nil }
            next.headers[FieldName.idempotencyKey] = nil
        } else if !request.isReplayable {
            throw RedirectRefusal("The body cannot be sent again.")
        }
        if url.origin != request.url.origin {
            let secrets = request.context.secrets
            guard !trusted.contains(url.origin) else {
                next.headers = next.headers.withoutCredentials(redaction)
                return next
            }
            // The name of a host is shown to every resolver on the way.
            guard !secrets.occur(in: url.description) else {
                throw RedirectRefusal("Its target at another origin contains a secret of this call.")
            }
            next.headers = next.headers.forForeignOrigin(holdsSecret: secrets.occur)
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

/// Why a redirect is not followed.
private struct RedirectRefusal: Error {
    let reason: String
    init(_ reason: String) { self.reason = reason }
}

/// A request that a call has sent, as far as circles are concerned.
struct Visit: Equatable, Sendable {
    private let method: HTTPMethod
    private let url: HTTPURL

    init(_ request: ClientRequest) {
        method = request.method
        url = request.url
    }
}
