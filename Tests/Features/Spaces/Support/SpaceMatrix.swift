import FoundationEssentials
import Logging
import SpacesAPI
import SpacesDomain
import SpacesService
import StrataDomain
import StrataFeatureTesting
import StrataNetworking
import StrataService
import StrataTesting

/// Every route × every role × own space, foreign space, no space. What is expected follows from the table of roles; the routes come from
/// the backend, so a new one without a row fails.
///
/// A service adds its features, a row for each of their routes, and an `Addition` with what those rows are about.
struct SpaceMatrix: Sendable {
    /// Whom a cell is about: a member with a role, a member of another space only, a user without a space.
    enum Caller: Hashable, CustomStringConvertible {
        case member(MemberRole)
        case stranger, newcomer

        static var all: [Caller] { MemberRole.allCases.map(Caller.member) + [.stranger, .newcomer] }
        var description: String {
            switch self {
            case .member(let role): "the \(role.rawValue)"
            case .stranger: "a member of another space"
            case .newcomer: "a user without a space"
            }
        }
        func may(_ action: RowAction, _ collection: String) -> Bool {
            if case .member(let role) = self { role.may(action, collection) } else { false }
        }
    }

    /// What the response must be.
    enum Rule: Sendable {
        /// About one row: 404 where it is hidden, 403 where the role does not allow it.
        case row(RowAction, String)
        /// Writes a row into the space: 403 where that is not allowed.
        case write(RowAction, String)
        /// A list of rows of all spaces: those of the space are in it where the role may read them.
        case list(String)
        /// A list of rows of the space: 404 where the space is hidden.
        case nested(String)
        /// For each member: 404 for others.
        case membership
        /// For no one, as another user is meant.
        case hidden
        /// Nothing of the space.
        case own
    }

    struct Row: Sendable {
        let route: Route
        let rule: Rule
        /// The text of the response; throws `NetworkError`, or `Refused`.
        let send: @Sendable (HTTPAPIClient, Scene) async throws -> String

        init<Call: RoutedEndpoint>(_ rule: Rule, _ call: @escaping @Sendable (Scene) throws -> Call) {
            route = Call.route
            self.rule = rule
            send = { client, scene in "\(try await client.send(call(scene)))" }
        }

        init(_ route: Route, _ rule: Rule, _ send: @escaping @Sendable (HTTPAPIClient, Scene) async throws -> String) {
            (self.route, self.rule, self.send) = (route, rule, send)
        }
    }

    /// A refused mutation.
    struct Refused: Error { let status: Int }

    /// A space with a card, a member and an invitation, made for one cell.
    struct Scene: Sendable {
        static let secret = "confidential"
        let number: Int
        let space: Stored<Space>
        let card: Stored<Card>
        let member: SpaceMember.ID
        let invitation: SpaceInvitation.ID
        let now: Date
        /// What `Addition.make` made.
        var made: [String: String] = [:]
    }

    /// What another feature has in a space.
    struct Addition: Sendable {
        /// Makes its rows for a cell, as an administrator of the space.
        let make: @Sendable (HTTPAPIClient, Stored<Card>) async throws -> [String: String]
        /// The state of its rows, which a refused request must not change.
        let state: @Sendable (HTTPAPIClient, Scene) async throws -> String
        /// Where its routes begin that are about no row of a space.
        let apart: [String]
    }

    let features: [any FeatureService]
    let rows: [Row]
    var addition: Addition?

    /// One sentence for each cell that is answered otherwise, and for each route without a row.
    ///
    /// - Parameter asked: The rows whose cells are asked. Default: all.
    func failures(asking asked: [Row]? = nil) async throws -> [String] {
        try await withBackend(features) { [rows, addition] backend in
            let apart = addition?.apart ?? []
            let all = Set(backend.routes.filter { $0.access != .anyone }.map(\.route))
            let mounted = all.filter { route in !apart.contains { route.template.hasPrefix($0) } }
            let known = Set(rows.map(\.route))
            var failures = mounted.subtracting(known).map { "'\($0)' has no row in the matrix." }
            failures += known.subtracting(mounted).map { "'\($0)' is no route." }
            failures += apart.filter { path in !all.contains { $0.template.hasPrefix(path) } }.map {
                "'\($0)' begins no route."
            }
            guard failures.isEmpty else { return failures.sorted() }
            var number = 0
            for row in asked ?? rows {
                for caller in Caller.all {
                    number += 1
                    failures += try await Self.cell(row, caller, number, SpaceScene(backend: backend), addition)
                }
            }
            return failures
        }
    }

    /// Users of one cell have names of their own: no rate limit is met.
    private static func cell(
        _ row: Row, _ caller: Caller, _ number: Int, _ scene: SpaceScene, _ addition: Addition?
    ) async throws -> [String] {
        let (root, name) = ("root\(number)", "user\(number)")
        let space = try await scene.space("\(Scene.secret) space", of: root)
        let card = try await scene.card(Scene.secret, in: space.id, by: root)
        try await scene.join(space.id, "member\(number)", as: .viewer, by: root)
        switch caller {
        case .member(let role): try await scene.join(space.id, name, as: role, by: root)
        case .stranger: _ = try await scene.space("elsewhere", of: name)
        case .newcomer: break
        }
        let administrator = try scene.user(root)
        let invitation = try await administrator.send(
            CreateSpaceInvitation(id: space.id, InvitationDraft(username: "guest\(number)", role: .viewer)))
        var target = Scene(
            number: number, space: space, card: card, member: SpaceMember.ID("member\(number)"),
            invitation: invitation.id, now: scene.backend.clock.now)
        target.made = try await addition?.make(administrator, card) ?? [:]
        let before = try await state(of: target, administrator, addition)
        let (status, text) = await response(of: row, as: try scene.user(name), target)
        var failures: [String] = []
        let expected = expected(row.rule, caller)
        func note(_ sentence: String) { failures.append("\(row.route) as \(caller): \(sentence)") }
        if let wanted = expected.status, wanted != status { note("\(status) instead of \(wanted).") }
        if expected.status == nil, status >= 300 { note("\(status) instead of a success.") }
        if let shows = expected.shows, shows != text.contains(Scene.secret) {
            note(shows ? "nothing of the space is shown." : "shows a text of the space: \(text.prefix(200))")
        }
        if expected.status != nil {
            let after = try await state(of: target, administrator, addition)
            for (part, value) in before where after[part] != value { note("the refused request changed the \(part).") }
        }
        return failures
    }

    /// What an administrator sees in the space.
    private static func state(
        of scene: Scene, _ client: HTTPAPIClient, _ addition: Addition?
    ) async throws -> [String: String] {
        let filter = ["space_id": JSONValue.string(scene.space.id.rawValue)]
        var state = [
            "space": "\(try await client.send(GetEntity<Space>(id: scene.space.id)))",
            "cards": "\(try await client.send(ListEntities<Card>(EntityQuery(filters: filter))))",
            "members": "\(try await client.send(ListSpaceMembers(id: scene.space.id)))",
            "invitations": "\(try await client.send(ListSentInvitations(id: scene.space.id)))",
        ]
        state["rows of the addition"] = try await addition?.state(client, scene)
        return state
    }

    private static func response(
        of row: Row, as client: HTTPAPIClient, _ target: Scene
    ) async -> (status: Int, text: String) {
        do { return (200, try await row.send(client, target)) } catch let refused as Refused {
            return (refused.status, "")
        } catch {
            let problem = (error as? NetworkError)?.problem
            return (problem?.status ?? 599, problem?.detail ?? "\(error)")
        }
    }

    /// - Returns: `status` is `nil` for a success; `shows` is `nil` where it does not matter.
    private static func expected(_ rule: Rule, _ caller: Caller) -> (status: Int?, shows: Bool?) {
        let isMember = if case .member = caller { true } else { false }
        switch rule {
        case .row(let action, let collection):
            if caller.may(action, collection) { return (nil, nil) }
            return (caller.may(.read, collection) ? 403 : 404, false)
        case .write(let action, let collection):
            return caller.may(action, collection) ? (nil, nil) : (403, false)
        case .list(let collection): return (nil, caller.may(.read, collection))
        case .nested(let collection):
            guard caller.may(.read, Space.collection) else { return (404, false) }
            return (nil, caller.may(.read, collection))
        case .membership: return isMember ? (nil, nil) : (404, false)
        case .hidden: return (404, false)
        case .own: return (nil, false)
        }
    }
}
