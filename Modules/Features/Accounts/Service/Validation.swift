import AccountsDomain
import StrataDomain
import StrataService

/// Runs the checks of `body`.
///
/// - Throws: 422 naming each invalid field.
func validating(_ body: (inout FieldCheck) -> Void) throws(ServiceError) {
    var check = FieldCheck()
    body(&check)
    guard check.errors.isEmpty else { throw .validation(check.errors) }
}

/// Refuses a new name that a shell reads as an option, or that is a path. An account that has one keeps it.
///
/// - Throws: 422.
func acceptNew(username: String) throws(ServiceError) {
    try validating { check in
        if username.hasPrefix("-") || username.allSatisfy({ $0 == "." }) {
            check.refuse("username", "must not begin with '-' or consist of dots")
        }
    }
}

/// The address of an account after a change: `nil` keeps `present`, and an empty text removes it.
///
/// - Throws: 422 for a text that is no address.
func accepting(email: String?, present: String? = nil) throws(ServiceError) -> String? {
    guard let email else { return present }
    guard !email.isEmpty else { return nil }
    try validating { check in
        if (try? MailAddress(email)) == nil {
            check.refuse("email", "must be an address like anna@example.com, in ASCII, of at most 254 bytes")
        }
    }
    return email
}

/// Refuses a new password that breaks the rules.
///
/// - Throws: 422 naming `field`.
func acceptNew(password: Secret, as field: String = "password") throws(ServiceError) {
    try validating { check in UserDraft.check(password, as: field, in: &check) }
}

/// A draft, validated by the rules of the client.
///
/// - Throws: 422 naming each invalid field.
func accepting<Draft>(_ validated: () throws(DomainError) -> Draft) throws -> Draft {
    do throws(DomainError) { return try validated() } catch {
        guard case .validation(_, let fields) = error else { throw error }
        throw ServiceError.validation(fields)
    }
}
