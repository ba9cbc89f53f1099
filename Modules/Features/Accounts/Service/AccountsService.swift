package import StrataDomain
package import StrataService

/// The backend half of accounts: people, their sessions and tokens, and the keys of machines.
///
/// Passwords are hashed and tokens signed outside of transactions; whatever was decided before one is looked at again
/// inside.
package struct AccountsService: FeatureService {
    let store: any Store
    let accessTokens: AccessTokens
    let refreshTokens: RefreshTokens
    let publicKeys: [SigningKeys.PublicKey]
    let hasher: PasswordHasher
    let throttle: LoginThrottle
    let clock: any WallClock
    let allowsSignIn: Bool
    let publicURL: String?

    /// - Parameters:
    ///   - keys: The keys of `accessTokens`; their public halves are published.
    ///   - clock: The time access tokens are verified at, where no request brings it along.
    ///   - allowsSignIn: Whether `POST /v1/sessions` takes passwords. It is for programs of this project only; RFC 9700,
    ///     section 2.4, forbids handing a password to anybody else. Default: yes.
    ///   - publicURL: Where clients reach this server, `https://shiftlog.example`, without a slash at the end; behind a
    ///     proxy only the operator knows. It should also be the issuer of `accessTokens`. Default: what each caller
    ///     asked for, over plain HTTP.
    package init(
        store: any Store, keys: SigningKeys, accessTokens: AccessTokens, refreshTokens: RefreshTokens,
        hasher: PasswordHasher, throttle: LoginThrottle = LoginThrottle(), clock: any WallClock = SystemWallClock(),
        allowsSignIn: Bool = true, publicURL: String? = nil
    ) {
        self.store = store
        self.accessTokens = accessTokens
        self.refreshTokens = refreshTokens
        publicKeys = keys.publicKeys
        self.hasher = hasher
        self.throttle = throttle
        self.clock = clock
        self.allowsSignIn = allowsSignIn
        self.publicURL = publicURL
    }

    package var migrations: [StoreMigration] { [Sessions.migration, UserTable.migration, HostTokenTable.migration] }

    package func mount(on routes: inout APIRoutes) {
        mountSessions(on: &routes)
        mountOAuth(on: &routes)
        mountUsers(on: &routes)
        mountHostTokens(on: &routes)
    }
}
