import AccountsAPI
import AccountsDomain
import FoundationEssentials
import StrataDomain
import StrataService

/// Change of a password by its user, and resets by a mailed link.
extension AccountsService {
    /// Requests for a reset in an hour.
    private static var resetLimits: (user: Int, client: Int) { (3, 30) }

    func mountPasswords(on routes: inout APIRoutes) {
        routes.handle(ChangePassword.self, for: .users) { endpoint, scope in
            try await changePassword(endpoint.change, scope)
        }
        routes.handle(RequestPasswordReset.self, for: .anyone) { endpoint, scope in
            try await requestReset(of: endpoint.request.username, scope)
            return NoContent()
        }
        routes.handle(ShowPasswordResetPage.self, for: .anyone) { endpoint, scope in
            try await showResetPage(endpoint.token, scope)
        }
        routes.handle(SendPasswordResetPage.self, for: .anyone) { endpoint, scope in
            try await answer(endpoint.form, scope)
        }
    }

    /// Stores a new password, which voids a mailed link, and ends the sessions of the account.
    ///
    /// - Parameter kept: A session that stays active. Default: none.
    func setPassword(
        of id: User.ID, hash: String, keeping kept: String? = nil, at now: Date, in transaction: any StoreTransaction
    ) throws {
        var user = try UserTable.existing(id, in: transaction)
        user.updatedAt = now
        try UserTable.update(user, hash: hash, in: transaction)
        try Sessions.endAll(of: id.rawValue, except: kept, because: .passwordChanged, at: now, in: transaction)
    }

    /// Changes the password of the caller: `PUT /v1/me/password`.
    ///
    /// - Throws: 403 when password login is off; 422 for a wrong current password, and for a new one that breaks the rules; 429
    ///   after too many failures.
    private func changePassword(_ change: PasswordChange, _ scope: RequestScope) async throws -> NoContent {
        guard allowsSignIn else { throw ServiceError.signInDisabled }
        let caller = try scope.user()
        let new = Secret(change.newPassword)
        try acceptNew(password: new, as: "new_password")
        do {
            let verified = try await verify(
                username: caller.username, password: Secret(change.currentPassword), scope)
            let hash = try await hasher.hash(new, for: scope.clientAddress)
            try await noted {
                try await store.write { transaction in
                    try confirm(verified, scope, in: transaction)
                    try setPassword(
                        of: verified.user.id, hash: hash, keeping: caller.sessionId, at: scope.now, in: transaction)
                }
            }
        } catch let error as ServiceError where error.problem.status == 401 {
            // A client takes 401 for the end of its session.
            throw ServiceError.validation([
                FieldError(field: "current_password", message: "is not the password of this account")
            ])
        }
        events.succeeded()
        return NoContent()
    }

    /// - Throws: 403 while passwords are not reset by mail.
    func checkResets() throws {
        guard allowsSignIn else { throw ServiceError.signInDisabled }
        guard mailFrom != nil else { throw ServiceError.passwordResetDisabled }
    }

    /// Asks for the mail of a reset: `POST /v1/password-resets`.
    ///
    /// It does the same for a name that no account has and for one without an address, so neither the answer nor its time tells
    /// which accounts there are. The fourth request for a name in an hour mails nothing.
    ///
    /// - Throws: 403 while passwords are not reset by mail; 429 for too many requests of a client.
    func requestReset(of username: String, _ scope: RequestScope) async throws {
        try checkResets()
        try await store.write { transaction in
            func wait(_ kind: String, _ subject: String, _ limit: Int) throws -> Int? {
                try throttle.count(kind, of: subject, limit: limit, window: 3600, at: scope.now, in: transaction)
            }
            let network = ClientNetwork.key(scope.clientAddress)
            if let wait = try wait("password resets of a client", network, Self.resetLimits.client) {
                throw ServiceError.tooManyPasswordResets(retryAfter: wait)
            }
            guard try wait("password resets of a user", username, Self.resetLimits.user) == nil else { return }
            let user = try UserTable.credentials(of: username, in: transaction)?.user
            let mail = PasswordResetMail(userId: user?.email == nil ? nil : user?.id.rawValue)
            try transaction.enqueue(mail, at: scope.now)
        }
    }

    /// The user whose password a token sets; `nil` for a token that cannot be used. Changes nothing.
    func user(ofReset token: String, _ scope: RequestScope) async throws -> User? {
        guard let hash = OpaqueToken.digest(token) else { return nil }
        return try await store.read { reader in
            guard let id = try PasswordResetTable.userId(of: hash, at: scope.now, in: reader) else { return nil }
            return try UserTable.user(id, in: reader)
        }
    }

    /// Sets the password of the account of a token, uses the token, and ends every session of the account.
    ///
    /// - Returns: `false` when the token was used or replaced in the meantime.
    /// - Throws: 422 for a password that breaks the rules; the token stays valid.
    func reset(_ token: String, to password: Secret, _ scope: RequestScope) async throws -> Bool {
        try acceptNew(password: password)
        guard let token = OpaqueToken.digest(token) else { return false }
        let hash = try await hasher.hash(password, for: scope.clientAddress)
        return try await store.write { transaction in
            guard let id = try PasswordResetTable.take(token, at: scope.now, in: transaction) else { return false }
            try setPassword(of: id, hash: hash, at: scope.now, in: transaction)
            return true
        }
    }
}

extension ServiceError {
    fileprivate static var passwordResetDisabled: ServiceError {
        ServiceError(
            403, code: "password_reset_disabled", title: "Not allowed",
            detail: "Passwords are not reset by mail here; ask an administrator for a new one.")
    }

    fileprivate static func tooManyPasswordResets(retryAfter seconds: Int) -> ServiceError {
        ServiceError(
            429, code: "too_many_password_resets", title: "Too many password resets",
            detail: "Too many resets were asked for from this address; wait \(seconds) seconds, then try again.",
            headers: ["Retry-After": String(seconds)])
    }
}
