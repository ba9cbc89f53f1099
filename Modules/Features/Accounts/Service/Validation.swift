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

/// A draft, validated by the rules of the client.
///
/// - Throws: 422 naming each invalid field.
func accepting<Draft>(_ validated: () throws(DomainError) -> Draft) throws -> Draft {
    do throws(DomainError) { return try validated() } catch {
        guard case .validation(_, let fields) = error else { throw error }
        throw ServiceError.validation(fields)
    }
}
