public import FoundationEssentials

/// What a handler knows of a request besides its endpoint value.
public struct RequestScope: Sendable {
    /// The caller; `nil` only for endpoints with access for anyone.
    public var principal: Principal?
    /// The id of the request, which is in its log lines and problems.
    public var requestId: String
    /// When the request arrived.
    public var now: Date
    /// The address of the client, also behind trusted proxies; empty when there is none.
    public var clientAddress: String
    /// The header field `Idempotency-Key`, if any.
    public var idempotencyKey: String?
    /// The time from the arrival of the request to its deadline; `nil` when there is none.
    public var timeLeft: Duration?

    /// The scope of a request.
    public init(
        principal: Principal?, requestId: String, now: Date, clientAddress: String = "",
        idempotencyKey: String? = nil, timeLeft: Duration? = nil
    ) {
        self.principal = principal
        self.requestId = requestId
        self.now = now
        self.clientAddress = clientAddress
        self.idempotencyKey = idempotencyKey
        self.timeLeft = timeLeft
    }

    /// The calling user.
    ///
    /// - Throws: 401 without a principal, 403 for a host.
    public func user() throws -> Principal.User {
        switch principal {
        case .user(let user): return user
        case .host: throw ServiceError.forbidden("A host token may not do this; log in as a user.")
        case nil: throw ServiceError.unauthorized("Log in first.")
        }
    }

    /// The caller.
    ///
    /// - Throws: 401 without a principal.
    public func caller() throws -> Principal {
        guard let principal else { throw ServiceError.unauthorized("Log in first.") }
        return principal
    }
}
