public import FoundationEssentials

/// What a handler knows about its call besides the endpoint.
public struct RequestScope: Sendable {
    /// Who calls; `nil` only for endpoints that are open to anyone.
    public var principal: Principal?
    public var requestId: String
    /// When the request arrived.
    public var now: Date
    /// The client's address, behind trusted proxies too, for throttling; empty where there is none.
    public var clientAddress: String
    /// The call's header `Idempotency-Key`, if any.
    public var idempotencyKey: String?
    /// How long the caller still waits for the answer, from the arrival of the call; `nil` when nobody said.
    public var timeLeft: Duration?

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
    /// - Throws: 401 without a principal, 403 for a machine.
    public func user() throws -> Principal.User {
        switch principal {
        case .user(let user): return user
        case .host: throw ServiceError.forbidden("A host token may only append journal entries.")
        case nil: throw ServiceError.unauthorized("Log in first.")
        }
    }

    /// Who calls.
    ///
    /// - Throws: 401 without a principal.
    public func caller() throws -> Principal {
        guard let principal else { throw ServiceError.unauthorized("Log in first.") }
        return principal
    }
}
