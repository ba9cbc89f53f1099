import SpacesDomain
import StrataDomain
import StrataService

/// Who is in which space: the memberships in the snapshot of each statement.
struct Memberships: SpaceDirectory {
    let collection = Space.collection

    func spaces(of caller: Principal, allowing action: RowAction, on collection: String) -> Statement {
        // A host is in no space.
        let user = if case .user(let user) = caller { user.id } else { "" }
        let roles = MemberRole.allCases.filter { $0.may(action, collection) }.map(\.rawValue)
        return "SELECT space_id AS id FROM space_member WHERE user_id = \(user) AND role IN (\(list: roles))"
    }
}
