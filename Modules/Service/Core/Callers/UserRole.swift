public import StrataDomain

/// The role of a user in the whole service, with what it allows. Two roles of one name are the same.
public struct UserRole: Sendable, Hashable {
    /// As it stands in the database and on the wire.
    public let name: String
    private let allows: @Sendable (RowAction, String) -> Bool

    private init(_ name: String, _ allows: @escaping @Sendable (RowAction, String) -> Bool) {
        (self.name, self.allows) = (name, allows)
    }

    /// One of the service's own roles. One that is called `admin` may do everything.
    public init(_ role: some ServiceRole) {
        if role.rawValue == Self.admin.name {
            self = .admin
        } else {
            self.init(role.rawValue) { action, collection in role.may(action, collection) }
        }
    }

    /// May do everything.
    public static let admin = UserRole("admin") { _, _ in true }
    /// May do with rows what their ownership allows.
    public static let member = UserRole("member") { _, _ in true }

    /// A role that the service does not have, or has no more: it may do nothing with rows.
    static func unknown(_ name: String) -> UserRole { UserRole(name) { _, _ in false } }

    /// Whether users with this role may do `action` with rows of `collection`, as far as the owner of each row allows it.
    public func may(_ action: RowAction, _ collection: String) -> Bool { allows(action, collection) }

    public static func == (one: UserRole, other: UserRole) -> Bool { one.name == other.name }
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// The roles that users of a service may have: `member`, `admin`, and those of the service's own.
public struct UserRoles: Sendable {
    /// In the order of a help: members, administrators, then the service's own.
    public let names: [String]
    private let roles: [String: UserRole]

    /// Members and administrators only.
    public init() { self.init([]) }

    /// With the cases of a service's own roles.
    public init<Role: ServiceRole>(_ type: Role.Type) { self.init(Role.allCases.map { UserRole($0) }) }

    private init(_ own: [UserRole]) {
        let known = [UserRole.member, .admin]
        names = known.map(\.name) + own.map(\.name).filter { name in !known.contains { $0.name == name } }
        roles = Dictionary((known + own).map { ($0.name, $0) }) { $1 }
    }

    /// The role with a name; one that the service does not have may do nothing with rows.
    public subscript(name: String) -> UserRole { roles[name] ?? .unknown(name) }
}
