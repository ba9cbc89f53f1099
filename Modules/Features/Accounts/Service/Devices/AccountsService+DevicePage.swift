import AccountsDomain
import FoundationEssentials
import StrataDomain
import StrataService

/// The page of the user (RFC 8628, section 3.3), in three steps: code and login, question, result.
///
/// The first form needs the password, or the session of the browser with the token of its forms; the second one a ticket that only
/// the answer to the first holds. The ticket names the device and the user, and decides once.
extension AccountsService {
    /// Whether users can sign in on pages, with a password or at the OpenID provider.
    var takesUsers: Bool { allowsSignIn || openID != nil }

    /// - Throws: 403 when password login is off, and there is no OpenID provider.
    func showPage(userCode: String?, _ request: PageRequest) async throws -> HTMLPage {
        guard takesUsers else { throw ServiceError.signInDisabled }
        let userCode = String((userCode ?? "").prefix(20))
        return try page(.signIn(signIn(userCode, caller: try await request.caller())))
    }

    private func signIn(
        _ userCode: String, username: String = "", error: String? = nil, caller: PageCaller? = nil
    ) -> DeviceSignIn {
        let path = ShowDevicePage.route.template
        let next = userCode.isEmpty ? path : "\(path)?\((["user_code": userCode] as QueryItems).encoded)"
        return DeviceSignIn(
            userCode: userCode, username: username, error: error, caller: caller, takesPassword: allowsSignIn,
            provider: openIDLink(next: next))
    }

    /// Failures that a user can mend are pages.
    func answer(_ form: DeviceForm, _ request: PageRequest) async throws -> HTMLPage {
        guard takesUsers else { throw ServiceError.signInDisabled }
        guard !request.isForeign else { return try foreignForm() }
        let scope = request.scope
        if let ticket = form.ticket { return try await decide(ticket, form.decision, scope) }
        let userCode = form.userCode ?? ""
        if let token = form.formToken { return try await answer(userCode, token, request) }
        guard allowsSignIn else { throw ServiceError.signInDisabled }
        let username = form.username ?? ""
        return try await question(userCode, username, else: signIn(userCode, username: username), scope) {
            // The password comes first: a guess at codes needs an account.
            let verified = try await verify(username: username, password: Secret(form.password ?? ""), scope)
            return { transaction in
                try confirm(verified, scope, in: transaction)
                return verified.user
            }
        }
    }

    /// The same for a user who is signed in with this browser.
    private func answer(_ userCode: String, _ token: String, _ request: PageRequest) async throws -> HTMLPage {
        guard let caller = try await request.caller() else {
            let text = "You are not signed in any more. Sign in, and send the code again."
            return try page(.signIn(signIn(userCode, error: text)))
        }
        guard caller.sent(token, request) else { return try foreignForm() }
        let name = caller.user.username
        return try await question(userCode, name, else: signIn(userCode, caller: caller), request.scope) {
            { transaction in try UserTable.existing(User.ID(caller.user.id), in: transaction) }
        }
    }

    /// A user, as the transaction of a question finds them.
    private typealias FindUser = @Sendable (any StoreTransaction) throws -> User

    /// The question for a code, or the form again.
    private func question(
        _ userCode: String, _ username: String, else form: DeviceSignIn, _ scope: RequestScope,
        of user: () async throws -> FindUser
    ) async throws -> HTMLPage {
        do {
            let (grant, ticket) = try await offer(userCode, scope, to: try await user())
            return try page(
                .question(grant, userCode: userCode.uppercased(), username: username, ticket: ticket.reveal()))
        } catch let error as ServiceError where [401, 422, 429].contains(error.problem.status) {
            // 200, as any form that is shown again: a 401 would need a challenge (RFC 9110, section 15.5.2).
            var form = form
            form.error = error.problem.detail ?? error.problem.title
            return try page(.signIn(form))
        }
    }

    private func offer(
        _ userCode: String, _ scope: RequestScope, to user: @escaping FindUser
    ) async throws -> (DeviceGrant, Secret) {
        let peer = scope.clientAddress
        let ticket = OpaqueToken.make(prefix: "sldt_")
        // A wrong code is counted in the same transaction, so simultaneous guesses are no more than those in a row. A code
        // that exists does not reset the count: a guesser can ask for codes of their own.
        let grant = try await noted {
            try await store.write { transaction -> DeviceGrant? in
                let user = try user(transaction)
                let guesser = "device codes of \(user.id.rawValue)"
                try throttle.check(username: guesser, peer: peer, at: scope.now, in: transaction)
                if let code = UserCode.digest(userCode), let hash = OpaqueToken.digest(ticket.reveal()),
                    let grant = try DeviceGrantTable.offer(
                        userCodeHash: code, to: user, ticketHash: hash, at: scope.now,
                        in: transaction)
                {
                    return grant
                }
                try throttle.settle(username: guesser, peer: peer, succeeded: false, at: scope.now, in: transaction)
                return nil
            }
        }
        guard let grant else {
            throw ServiceError.validation([
                FieldError(field: "user_code", message: "is not a code that a device waits with")
            ]).saying("No device waits with this code. Compare it with your device; a code is valid for 10 minutes.")
        }
        return (grant, ticket)
    }

    private func decide(_ ticket: String, _ decision: String?, _ scope: RequestScope) async throws -> HTMLPage {
        guard decision == "allow" || decision == "refuse" else {
            return try page(
                .result(title: "Nothing was changed", text: "Neither Allow nor Refuse was sent."))
        }
        let grant = try await store.write { transaction -> DeviceGrant? in
            guard let hash = OpaqueToken.digest(ticket) else { return nil }
            return try DeviceGrantTable.decide(
                ticketHash: hash, isAllowed: decision == "allow", at: scope.now, in: transaction)
        }
        // A form that is sent again, because its answer was lost, shows what was decided.
        switch grant?.decision?.isAllowed {
        case true?:
            return try page(
                .result(title: "The device is logged in", text: "You can close this page and go back to your device."))
        case false?:
            return try page(
                .result(
                    title: "Refused",
                    text:
                        "The device is not logged in. If you did not start this login, another person may have tried to trick you."
                ))
        case nil:
            return try page(
                .result(
                    title: "Too late",
                    text: "The code has expired or was used again. Start the login on the device anew."))
        }
    }

    func page(_ page: DevicePage) throws -> HTMLPage {
        try self.page(DevicePage.template, page.values)
    }
}

extension ServiceError {
    fileprivate func saying(_ detail: String) -> ServiceError {
        var error = self
        error.problem.detail = detail
        return error
    }
}
