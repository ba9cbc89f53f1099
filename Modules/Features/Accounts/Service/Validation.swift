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

/// A draft, validated by the rules of the client.
///
/// - Throws: 422 naming each invalid field.
func accepting<Draft>(_ validated: () throws(DomainError) -> Draft) throws -> Draft {
    do throws(DomainError) { return try validated() } catch {
        guard case .validation(_, let fields) = error else { throw error }
        throw ServiceError.validation(fields)
    }
}
