import AccountsDomain
import FoundationEssentials
import StrataDomain
import StrataService

/// The page of the user (RFC 8628, section 3.3), in three steps: code and login, question, result.
///
/// There is no cookie, so a foreign page has no rights to borrow: the first form needs the password, and the second one a
/// ticket that only the answer to the first holds. The ticket names the device and the user, and decides once.
extension AccountsService {
    /// - Throws: 403 when password login is off.
    func showPage(userCode: String?) throws -> HTMLPage {
        guard allowsSignIn else { throw ServiceError.signInDisabled }
        return try page(.signIn(userCode: String((userCode ?? "").prefix(20)), username: "", error: nil))
    }

    /// Failures that a user can mend are pages.
    func answer(_ form: DeviceForm, _ request: PageRequest) async throws -> HTMLPage {
        guard allowsSignIn else { throw ServiceError.signInDisabled }
        guard !request.isForeign else { return try foreignForm() }
        let scope = request.scope
        if let ticket = form.ticket { return try await decide(ticket, form.decision, scope) }
        let (userCode, username) = (form.userCode ?? "", form.username ?? "")
        do {
            let (grant, ticket) = try await offer(userCode, username, Secret(form.password ?? ""), scope)
            return try page(
                .question(grant, userCode: userCode.uppercased(), username: username, ticket: ticket.reveal()))
        } catch let error as ServiceError where [401, 422, 429].contains(error.problem.status) {
            // 200, as any form that is shown again: a 401 would need a challenge (RFC 9110, section 15.5.2).
            let text = error.problem.detail ?? error.problem.title
            return try page(.signIn(userCode: userCode, username: username, error: text))
        }
    }

    /// Verifies the password, then the code: a guess at codes needs an account.
    private func offer(
        _ userCode: String, _ username: String, _ password: Secret, _ scope: RequestScope
    ) async throws -> (DeviceGrant, Secret) {
        let verified = try await verify(username: username, password: password, scope)
        let guesser = "device codes of \(verified.user.id.rawValue)"
        let peer = scope.clientAddress
        let ticket = OpaqueToken.make(prefix: "sldt_")
        // A wrong code is counted in the same transaction, so simultaneous guesses are no more than those in a row. A code
        // that exists does not reset the count: a guesser can ask for codes of their own.
        let grant = try await noted {
            try await store.write { transaction -> DeviceGrant? in
                try confirm(verified, scope, in: transaction)
                try throttle.check(username: guesser, peer: peer, at: scope.now, in: transaction)
                if let code = UserCode.digest(userCode), let hash = OpaqueToken.digest(ticket.reveal()),
                    let grant = try DeviceGrantTable.offer(
                        userCodeHash: code, to: verified.user, ticketHash: hash, at: scope.now,
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
