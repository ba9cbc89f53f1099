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

extension UserDraft {
    /// The draft, validated by the rules of the client.
    ///
    /// - Parameter needsPassword: Refuses a draft without one.
    /// - Throws: 422 naming each invalid field.
    func accepted(needsPassword: Bool) throws -> UserDraft {
        do throws(DomainError) { _ = try validated() } catch {
            guard case .validation(_, let fields) = error else { throw error }
            throw ServiceError.validation(fields)
        }
        guard !needsPassword || password != nil else {
            throw ServiceError.validation([
                FieldError(field: "password", message: "is missing; a new account needs one")
            ])
        }
        return self
    }
}
