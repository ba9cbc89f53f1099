/// The caller as an earlier request found it, and what must still hold.
public struct ExpectedPrincipal: Sendable {
    /// The caller, if the condition holds.
    public let principal: Principal
    /// Fails when the session has ended, or its user is another one by now.
    public let condition: ReadCondition

    /// - Parameter condition: Its check throws when `principal` is not the caller any more. The error is not shown: `principal(bearer:)`
    ///   decides then.
    public init(_ principal: Principal, if condition: ReadCondition) {
        (self.principal, self.condition) = (principal, condition)
    }
}
