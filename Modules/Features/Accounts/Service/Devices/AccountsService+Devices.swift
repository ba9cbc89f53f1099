import AccountsAPI
import AccountsDomain
import FoundationEssentials
import StrataDomain
import StrataService

/// Login of a device that has no browser (RFC 8628). The page of the user is in `AccountsService+DevicePage`.
extension AccountsService {
    /// Undecided grants of one client network, and of all.
    private static var grantLimits: (here: Int, all: Int) { (20, 10_000) }

    func mountDevices(on routes: inout APIRoutes) {
        routes.handle(AuthorizeDevice.self, for: .anyone) { endpoint, scope in
            try await authorize(endpoint.request, scope)
        }
        routes.page(ShowDevicePage.self) { endpoint, request in
            try await showPage(userCode: endpoint.userCode, request)
        }
        routes.page(SendDevicePage.self) { endpoint, request in try await answer(endpoint.form, request) }
    }

    /// New codes: `POST /v1/oauth/device_authorization`.
    ///
    /// - Throws: 403 when password login is off, and there is no OpenID provider; 429 for too many codes.
    func authorize(_ request: DeviceRequest, _ scope: RequestScope) async throws -> DeviceAuthorization {
        guard takesUsers else { throw ServiceError.signInDisabled }
        let device = try Self.deviceName(request.deviceName)
        let code = OpaqueToken.make(prefix: "sld_").reveal()
        guard let id = OpaqueToken.digest(code) else { throw StoreError.failed("a new code is too long") }
        let grant = DeviceGrant(
            id: id, device: device, address: scope.clientAddress, createdAt: scope.now,
            expiresAt: scope.now.addingTimeInterval(DeviceGrant.lifetime), interval: DeviceGrant.firstInterval)
        let userCode = try await store.write { transaction in
            try DeviceGrantTable.prune(at: scope.now, in: transaction)
            let open = try DeviceGrantTable.open(of: grant.network, at: scope.now, in: transaction)
            guard open.here < Self.grantLimits.here, open.all < Self.grantLimits.all else {
                throw ServiceError.tooManyDeviceCodes
            }
            while true {
                let userCode = UserCode.make()
                guard let hash = UserCode.digest(userCode) else { throw StoreError.failed("a new code is no code") }
                if try DeviceGrantTable.exists(userCodeHash: hash, in: transaction) { continue }
                try DeviceGrantTable.insert(grant, userCodeHash: hash, in: transaction)
                return userCode
            }
        }
        let page = accessTokens.issuer + ShowDevicePage.route.template
        return DeviceAuthorization(
            deviceCode: code, userCode: userCode, verificationUri: page,
            verificationUriComplete: "\(page)?user_code=\(userCode)", expiresIn: Int(DeviceGrant.lifetime),
            interval: grant.interval)
    }

    private enum PollOutcome: Sendable {
        /// With whether the tokens were sent before.
        case granted(RefreshTokens.Grant, User, isRepeated: Bool)
        case refused(OAuthErrorCode, String)
    }

    /// Exchanges a device code for tokens (section 3.4).
    ///
    /// A response that was lost is repeated until the codes expire, while the session is unused: the refresh token that the
    /// device never received is replaced. After its first use another poll means that two parties hold the code; it ends the
    /// session.
    func poll(_ grant: TokenGrant, _ scope: RequestScope) async throws -> TokenPayload {
        guard let code = grant.deviceCode, !code.isEmpty else {
            throw ServiceError.oauth(.invalidRequest, "Send the device_code.")
        }
        // The new state must be committed, so the body returns its outcome and the error is thrown afterwards.
        switch try await store.write({ transaction in try poll(code, at: scope.now, in: transaction) }) {
        case .granted(let granted, let user, let isRepeated):
            if !isRepeated { events.succeeded() }
            return try await tokens(for: user, granted, at: scope.now)
        case .refused(let code, let reason):
            throw ServiceError.oauth(code, reason)
        }
    }

    private func poll(_ code: String, at now: Date, in transaction: any StoreTransaction) throws -> PollOutcome {
        guard let id = OpaqueToken.digest(code), let grant = try DeviceGrantTable.locked(id, in: transaction) else {
            return .refused(.invalidGrant, "The device code is unknown; start the login again.")
        }
        switch grant.poll(at: now) {
        case .pending:
            try DeviceGrantTable.notePoll(id, at: now, interval: grant.interval, in: transaction)
            return .refused(.authorizationPending, "The user has not decided yet; ask again.")
        case .slowDown:
            try DeviceGrantTable.notePoll(id, at: now, interval: grant.interval + 5, in: transaction)
            return .refused(.slowDown, "Wait \(grant.interval + 5) seconds between two polls.")
        case .denied: return .refused(.accessDenied, "The user refused the login.")
        case .expired: return .refused(.expiredToken, "The codes have expired; start the login again.")
        case .start(let decision):
            // A password or role that changed after the login on the page voids it.
            guard let user = try UserTable.user(User.ID(decision.userId), in: transaction),
                user.updatedAt == decision.userUpdatedAt
            else { return .refused(.accessDenied, "The account was changed after its login; start again.") }
            let granted = try refreshTokens.start(
                userId: decision.userId, device: grant.device, at: now, in: transaction)
            try DeviceGrantTable.setSession(granted.sessionId, of: id, in: transaction)
            return .granted(granted, user, isRepeated: false)
        case .repeated(let sessionId):
            guard let granted = try refreshTokens.reissue(sessionId: sessionId, at: now, in: transaction),
                let user = try UserTable.user(User.ID(granted.userId), in: transaction)
            else {
                try Sessions.end(sessionId, because: .replay, at: now, in: transaction)
                return .refused(.invalidGrant, "The device code was used before; start the login again.")
            }
            return .granted(granted, user, isRepeated: true)
        }
    }
}

extension ServiceError {
    fileprivate static var tooManyDeviceCodes: ServiceError {
        ServiceError(
            429, code: "too_many_device_codes", title: "Too many device codes",
            detail: "Too many logins of devices wait for a user; finish one, or try again in 10 minutes.",
            headers: ["Retry-After": "600"])
    }
}
