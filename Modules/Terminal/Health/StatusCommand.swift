public import ArgumentParser
import FoundationEssentials
import StrataDomain
import StrataSystem

/// `status`: the account, unsent and unfetched rows, and the state of the server.
public struct StatusCommand: ConsoleCommand {
    public static let configuration = CommandConfiguration(
        "status", "Show the current user, unsent writes and the health of the server.", example: "status --json")

    @OptionGroup public var options: GlobalOptions

    public init() {}

    public func run(_ tools: StatusTools, _ console: Console) async throws {
        let session = await tools.session()
        let data = try await tools.data?()
        let sync = try await data?.sync.status()
        let state = await ServerState(asking: tools.client, within: options.deadline)
        let isLoggedIn = (try? session.get()) == true
        // Without a login or a server only local numbers are known.
        var remote = RemoteChanges.unknown
        if let data, isLoggedIn, state == .ready { remote = await RemoteChanges(data) }
        try Task.checkCancellation()
        let report = StatusReport(
            server: tools.server, serverState: state, profile: tools.profile, username: tools.username,
            isLoggedIn: isLoggedIn, tokens: tools.place(session), pending: sync?.pending ?? 0,
            rejected: sync?.rejected ?? 0, conflicts: sync?.conflicts ?? 0, toFetch: remote.count,
            lastSyncedAt: sync?.lastSyncedAt)
        if console.isJSON { return try console.json(report) }
        var fields = [
            ("server", "\(report.server) (\(report.serverState.rawValue))"), ("account", report.accountText),
            ("tokens", report.tokens),
        ]
        guard let sync else { return console.fields(fields + [("offline", StatusTools.nothingOffline)]) }
        fields += [
            (
                tools.dataName,
                "\(sync.pending) to send, \(remote.text) to fetch, \(QuantityText.count(sync.conflicts, "conflict")), "
                    + "\(sync.rejected) rejected"
            ), ("last sync", sync.lastSyncedAt.map(console.times.point) ?? "never"),
        ]
        console.fields(fields)
        let program = ProgramName.current
        if sync.conflicts > 0 { console.note("Settle conflicts with '\(program) conflicts list'.") }
        if sync.rejected > 0 { console.note("'\(program) outbox list' shows why writes were rejected.") }
        if sync.pending > 0, !isLoggedIn {
            console.note("Unsent writes are safe here; they are sent after a login.")
        }
    }
}

extension StatusTools {
    /// Where the tokens are, or why they cannot be read.
    fileprivate func place(_ session: Result<Bool, TokenStoreError>) -> String {
        if case .failure(let error) = session { "\(tokens.place): \(error)" } else { tokens.place }
    }
}

private struct StatusReport: Encodable {
    var server: String
    var serverState: ServerState
    var profile: String
    var username: String?
    var isLoggedIn: Bool
    /// Their place.
    var tokens: String
    var pending: Int
    var rejected: Int
    var conflicts: Int
    /// Rows that only the server has, up to 1000; absent if their number is unknown, or before the first synchronisation.
    var toFetch: Int?
    var lastSyncedAt: Date?

    private enum CodingKeys: String, CodingKey {
        case server, serverState, profile, username
        case isLoggedIn = "loggedIn"
        case tokens, pending, rejected, conflicts, toFetch, lastSyncedAt
    }

    var accountText: String {
        guard isLoggedIn else { return "not logged in; run '\(ProgramName.current) login'" }
        return "\(username ?? "unknown") (profile \(profile))"
    }
}

/// The rows that only the server has.
private enum RemoteChanges {
    case rows(Int)
    case everything
    case unknown

    init(_ data: LocalDataTools) async {
        do { self = try await data.countRemoteChanges().map { .rows($0) } ?? .everything } catch { self = .unknown }
    }

    var count: Int? { if case .rows(let count) = self { count } else { nil } }
    var text: String {
        switch self {
        case .rows(let count): count < 1000 ? "\(count)" : "1000 or more"
        case .everything: "everything"
        case .unknown: "unknown"
        }
    }
}
