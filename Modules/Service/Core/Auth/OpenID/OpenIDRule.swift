/// The owner's rule for the first sign-in of a user of the OpenID provider: which account they get.
///
///     OpenIDRule(scopes: ["email", "groups"]) { user in
///         guard user.texts("groups").contains("on-call") else { return .refused }
///         return .created(name: user.preferredName, role: UserRole(StaffRole.planner))
///     }
///
/// It is asked when no account is linked to the user, at each sign-in until there is one. A link stays until it is removed: a user who
/// leaves a group keeps the account.
public struct OpenIDRule: Sendable {
    /// What the service asks the provider for beside `openid`.
    let scopes: [String]
    let account: @Sendable (OpenIDIdentity) -> OpenIDAccount

    /// - Parameters:
    ///   - scopes: What the service asks the provider for beside `openid`. Default: nothing.
    ///   - account: The account of a user, from the claims of a verified id token.
    public init(scopes: [String] = [], _ account: @escaping @Sendable (OpenIDIdentity) -> OpenIDAccount) {
        (self.scopes, self.account) = (scopes, account)
    }

    /// An administrator links accounts.
    static let link = OpenIDRule { _ in .refused }
    /// A member is created.
    static let create = OpenIDRule(scopes: ["profile"]) { user in .created(name: user.preferredName) }
}

/// The account of a user whom none is linked to.
public enum OpenIDAccount: Sendable, Hashable {
    /// None: the sign-in is refused, until an administrator links one.
    case refused
    /// The one with this name is linked, if there is one, and if no other user of the provider is linked to it. Only for a provider that
    /// never gives a name to another user.
    case existing(name: String)
    /// A new one is created and linked. Letters of `name` in lower case, digits, `.`, `_` and `-` are kept, what is before an `@` counts,
    /// and a taken name gets a number; `user` in place of no name. Default: a member.
    case created(name: String?, role: UserRole = .member)
}
