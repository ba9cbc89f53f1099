import AccountsDomain
package import FoundationEssentials
package import StrataDomain
package import StrataService

/// The backend part of accounts: users, their sessions and tokens, and host tokens.
///
/// Passwords are hashed and tokens signed outside of transactions. A transaction repeats the checks made before it.
package struct AccountsService: FeatureService {
    let store: any Store
    let accessTokens: AccessTokens
    let refreshTokens: RefreshTokens
    let pageSessions: PageSessions
    let publicKeys: [SigningKeys.PublicKey]
    let hasher: PasswordHasher
    let throttle: LoginThrottle
    let events: LoginEvents
    let clock: any WallClock
    let allowsSignIn: Bool
    let roles: UserRoles
    let pages: PageStyle
    let administration: Administration
    /// The sender of mails; `nil` switches resets of passwords off.
    let mailFrom: MailAddress?
    let openID: OpenIDProvider?
    /// Users of requests before, where the database is at a distance.
    let callers = KnownCallers()

    /// - Parameters:
    ///   - keys: The keys of `accessTokens`; their public keys are published.
    ///   - accessTokens: Their issuer is the URL that the metadata names.
    ///   - throttle: Default: with the limits of `LoginThrottle`.
    ///   - events: Counts and logs logins.
    ///   - clock: The time for verifying access tokens outside of a request.
    ///   - allowsSignIn: Whether `POST /v1/sessions` accepts passwords. It is for programs of this project only: RFC 9700,
    ///     section 2.4, forbids giving a password to another client. Default: `true`.
    ///   - roles: What users may be. Default: members and administrators.
    ///   - pages: Name and colours of the pages. Default: the audience of `accessTokens`, blue.
    ///   - administration: What `/admin` shows beside users, sessions and jobs. Default: nothing.
    ///   - mailFrom: The sender of mails with links that reset a password. Default: `nil`, passwords are not reset by mail.
    ///   - openID: The provider at which users may sign in. Default: none.
    package init(
        store: any Store, keys: SigningKeys, accessTokens: AccessTokens, refreshTokens: RefreshTokens,
        hasher: PasswordHasher, throttle: LoginThrottle? = nil, events: LoginEvents = LoginEvents(),
        clock: any WallClock = SystemWallClock(), allowsSignIn: Bool = true, roles: UserRoles = UserRoles(),
        pages: PageStyle = .standard,
        administration: Administration = Administration(), mailFrom: MailAddress? = nil, openID: OpenIDProvider? = nil
    ) {
        self.store = store
        self.accessTokens = accessTokens
        self.refreshTokens = refreshTokens
        pageSessions = PageSessions(
            name: accessTokens.audience, at: { accessTokens.issuer }, limit: refreshTokens.sessionLimit)
        publicKeys = keys.publicKeys
        self.hasher = hasher
        self.throttle = throttle ?? LoginThrottle(keys: keys)
        self.events = events
        self.clock = clock
        self.allowsSignIn = allowsSignIn
        self.roles = roles
        self.pages = pages
        self.administration = administration
        self.mailFrom = mailFrom
        self.openID = openID
    }

    /// The name of the service on pages and in mails.
    var serviceName: String { pages.name ?? accessTokens.audience }

    package var migrations: [StoreMigration] {
        [
            Sessions.migration, Sessions.pageMigration, UserTable.migration, HostTokenTable.migration,
            DeviceGrantTable.migration, DeviceGrantTable.networkMigration, LoginThrottle.migration,
            PasswordResetTable.migration, OpenIDAttemptTable.migration, OpenIDLinkTable.migration,
        ]
    }

    package func mount(on routes: inout APIRoutes) {
        routes.describe(Role.self, as: roles.names)
        mountSessions(on: &routes)
        mountOAuth(on: &routes)
        mountUsers(on: &routes)
        mountHostTokens(on: &routes)
        mountDevices(on: &routes)
        mountPasswords(on: &routes)
        mountOpenID(on: &routes)
        mountSignIn(on: &routes)
        mountAdmin(on: &routes)
    }

    package func maintain(_ store: any Store, at now: Date) async throws {
        try await store.write { transaction in
            try DeviceGrantTable.prune(at: now, in: transaction)
            try PasswordResetTable.prune(at: now, in: transaction)
            try throttle.prune(at: now, in: transaction)
            try OpenIDAttemptTable.prune(at: now, in: transaction)
        }
    }
}
