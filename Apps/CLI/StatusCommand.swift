import ArgumentParser
import FoundationEssentials
import StrataDomain
import StrataNetworking
import StrataOffline
import StrataTerminal

/// `status`: the account, unsent and unfetched rows, and the state of the server.
struct StatusCommand: AppCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show the current user, unsent writes and the health of the server.",
        discussion: "Example: shiftlog status --json")

    @OptionGroup var options: GlobalOptions

    func run(_ wiring: Wiring, _ console: Console) async throws {
        let (isLoggedIn, tokens) = await session(wiring)
        let offline = Synchronised.all.isEmpty ? nil : try await wiring.offline()
        let sync = try await offline?.engine.status()
        let state = await ServerState(asking: wiring.network.open)
        // Without a login or a server only local numbers are known.
        var behind = RemoteChanges.unknown
        if let offline, isLoggedIn, state == .ready { behind = await RemoteChanges(asking: offline.attempt) }
        let report = StatusReport(
            server: "\(wiring.settings.server.origin)", serverState: state,
            profile: wiring.settings.profile, username: wiring.account?.username,
            isLoggedIn: isLoggedIn, tokens: tokens, pending: sync?.pending ?? 0, rejected: sync?.rejected ?? 0,
            conflicts: sync?.conflicts ?? 0, toFetch: behind.count, lastSyncedAt: sync?.lastSyncedAt)
        if console.isJSON { return try console.json(report) }
        console.out("server     \(report.server) (\(report.serverState.rawValue))")
        console.out("account    \(report.accountText)")
        console.out("tokens     \(report.tokens)")
        guard let sync else { return console.out("offline    \(Synchronised.none)") }
        console.out(
            "journal    \(sync.pending) to send, \(behind.text) to fetch, \(sync.conflicts) conflicts, "
                + "\(sync.rejected) rejected")
        console.out("last sync  \(sync.lastSyncedAt.map(console.times.point) ?? "never")")
        if sync.conflicts > 0 { console.note("Settle conflicts with 'shiftlog conflicts list'.") }
        if sync.rejected > 0 { console.note("'shiftlog outbox list' shows why entries were rejected.") }
        if sync.pending > 0, !isLoggedIn {
            console.note("Unsent entries are safe here; they are sent after a login.")
        }
    }

    /// Whether the account is logged in, and where the tokens are or why they cannot be read.
    private func session(_ wiring: Wiring) async -> (isLoggedIn: Bool, tokens: String) {
        do throws(TokenStoreError) {
            return (try await wiring.tokens.read() != nil, wiring.tokens.place)
        } catch {
            return (false, "\(wiring.tokens.place): \(error)")
        }
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
        guard isLoggedIn else { return "not logged in; run 'shiftlog login'" }
        return "\(username ?? "unknown") (profile \(profile))"
    }
}

/// The rows that only the server has.
private enum RemoteChanges {
    case rows(Int)
    case everything
    case unknown

    init(asking engine: SyncEngine) async {
        do { self = try await engine.remoteChangeCount().map { .rows($0) } ?? .everything } catch { self = .unknown }
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

/// How the server answers its readiness probe.
enum ServerState: String, Encodable {
    case ready
    /// It answers, but not as ready: starting, draining, or without its database.
    case notReady = "not ready"
    case unreachable

    init(asking client: any APIClient) async {
        do {
            _ = try await client.bytes(Readiness(), options: CallOptions(deadline: .seconds(3)), upTo: 65_536)
            self = .ready
        } catch {
            switch error.kind {
            case .offline, .connectionLost, .timeout, .tls, .circuitOpen, .cancelled: self = .unreachable
            default: self = .notReady
            }
        }
    }
}

/// `GET /health/ready`; only the status counts.
private struct Readiness: ManualEndpoint {
    typealias Response = NoContent
    var method: HTTPMethod { .get }
    var path: String { "/health/ready" }
}
