import ArgumentParser
import StrataCaching
import StrataDomain
import StrataNetworking
import StrataOffline
import StrataTerminal

/// `doctor`: checks what commands need, and suggests the next step for each problem.
struct DoctorCommand: AppCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Check files, tokens and server, and suggest what to do.",
        discussion: """
            Reads all local data. Exit codes: 0 if no problem was found, 73 if local data cannot be read or written, 77 if it \
            belongs to another account, 69 for any other problem.

            Example: shiftlog doctor
            """)

    @OptionGroup var options: GlobalOptions

    func run(_ wiring: Wiring, _ console: Console) async throws {
        let findings = [
            await tokens(wiring), await localData(wiring), await cache(wiring), await server(wiring),
        ]
        if console.isJSON {
            try console.json(findings)
        } else {
            for finding in findings {
                console.out("\(finding.isWell ? "ok   " : "wrong") \(finding.subject): \(finding.detail)")
            }
        }
        let failures = Set(findings.compactMap(\.failure))
        // Problems with local data come first.
        for status in [ExitStatus.cannotWrite, .noPermission, .unavailable] where failures.contains(status) {
            throw CommandFailure(status)
        }
    }

    private func tokens(_ wiring: Wiring) async -> Finding {
        do {
            let tokens = try await wiring.tokens.read()
            let detail = tokens == nil ? "not logged in; run 'shiftlog login'" : "kept in \(wiring.tokens.place)"
            return Finding("tokens", isWell: tokens != nil, detail)
        } catch {
            return Finding("tokens", failure: .cannotWrite, "\(wiring.tokens.place): \(error)")
        }
    }

    private func localData(_ wiring: Wiring) async -> Finding {
        do {
            let offline = try await wiring.offline()
            try await offline.database.check()
            if let obstacle = offline.database.obstacle { throw obstacle }
            let comparison = await comparison(of: offline, wiring)
            let status = try await offline.engine.status()
            return Finding(
                "journal", isWell: status.rejected + status.conflicts == 0,
                "\(offline.database.path), \(status.pending) to send, \(status.conflicts) conflicts "
                    + "('shiftlog conflicts list'), \(status.rejected) rejected ('shiftlog outbox list'), \(comparison)"
            )
        } catch {
            let error = DomainError(error)
            let isForeign = ExitStatus(error) == .noPermission
            return Finding("journal", failure: isForeign ? .noPermission : .cannotWrite, error.description)
        }
    }

    /// Fetches what is new and compares every row with the server's digest; rows that differ are repaired.
    private func comparison(of offline: LocalData, _ wiring: Wiring) async -> String {
        guard wiring.account != nil, !wiring.settings.isOffline else { return "not compared with the server" }
        do throws(DomainError) {
            let repaired = try await offline.attempt.verify()
            return repaired == 0 ? "compared with the server" : "\(repaired) rows repaired from the server"
        } catch {
            return "not compared with the server (\(error))"
        }
    }

    private func cache(_ wiring: Wiring) async -> Finding {
        let stats = await wiring.caches.values.stats()
        return Finding("cache", isWell: true, "\(stats.entries) entries, \(stats.bytes) bytes")
    }

    private func server(_ wiring: Wiring) async -> Finding {
        let state = await ServerState(asking: wiring.network.open)
        let step = state == .ready ? "" : "; check --server and the network, or work on: writes are queued"
        return Finding(
            "server", isWell: state == .ready, "\(wiring.settings.server.origin) is \(state.rawValue)\(step)")
    }
}

private struct Finding: Encodable {
    var subject: String
    var isWell: Bool
    var detail: String
    /// The exit status; `nil` without a problem.
    var failure: ExitStatus?

    private enum CodingKeys: String, CodingKey {
        case subject
        case isWell = "well"
        case detail
    }

    init(_ subject: String, isWell: Bool, _ detail: String) {
        self.init(subject, failure: isWell ? nil : .unavailable, detail)
    }

    init(_ subject: String, failure: ExitStatus?, _ detail: String) {
        self.subject = subject
        isWell = failure == nil
        self.detail = detail
        self.failure = failure
    }
}
