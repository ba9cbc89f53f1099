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
    let events: LoginEvents
    let clock: any WallClock
    let allowsSignIn: Bool

    /// - Parameters:
    ///   - keys: The keys of `accessTokens`; their public halves are published.
    ///   - accessTokens: Their issuer is the URL that the metadata names.
    ///   - events: Hears how each login ends.
    ///   - clock: The time access tokens are verified at, where no request brings it along.
    ///   - allowsSignIn: Whether `POST /v1/sessions` takes passwords. It is for programs of this project only; RFC
    ///     9700, section 2.4, forbids handing a password to anybody else. Default: yes.
    package init(
        store: any Store, keys: SigningKeys, accessTokens: AccessTokens, refreshTokens: RefreshTokens,
        hasher: PasswordHasher, throttle: LoginThrottle = LoginThrottle(), events: LoginEvents = LoginEvents(),
        clock: any WallClock = SystemWallClock(), allowsSignIn: Bool = true
    ) {
        self.store = store
        self.accessTokens = accessTokens
        self.refreshTokens = refreshTokens
        publicKeys = keys.publicKeys
        self.hasher = hasher
        self.throttle = throttle
        self.events = events
        self.clock = clock
        self.allowsSignIn = allowsSignIn
    }

    package var migrations: [StoreMigration] { [Sessions.migration, UserTable.migration, HostTokenTable.migration] }

    package func mount(on routes: inout APIRoutes) {
        mountSessions(on: &routes)
        mountOAuth(on: &routes)
        mountUsers(on: &routes)
        mountHostTokens(on: &routes)
    }
}
