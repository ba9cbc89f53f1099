public import ArgumentParser
import StrataDomain
import StrataSystem

/// `doctor`: checks what commands need, and suggests the next step for each problem.
public struct DoctorCommand: ConsoleCommand {
    public static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Check files, tokens and server, and suggest what to do.",
        discussion: """
            Reads all local data. Exit codes: 0 if no problem was found, 73 if local data cannot be read or written, 77 if it \
            belongs to another account, 69 for any other problem.

            Example: \(ProgramName.current) doctor
            """)

    @OptionGroup public var options: GlobalOptions

    public init() {}

    public func run(_ tools: StatusTools, _ console: Console) async throws {
        let findings = [
            await tools.tokensFinding, await tools.dataFinding, await tools.cacheFinding,
            await tools.serverFinding(within: options.deadline),
        ]
        try Task.checkCancellation()
        if console.isJSON {
            try console.json(findings)
        } else {
            try await console.paged { console in
                for finding in findings {
                    console.out("\(finding.isWell ? "ok   " : "wrong") \(finding.subject): \(finding.detail)")
                }
            }
        }
        let failures = Set(findings.compactMap(\.failure))
        // Problems with local data come first.
        for status in [ExitStatus.cannotWrite, .noPermission, .unavailable] where failures.contains(status) {
            throw CommandFailure(status)
        }
    }
}

extension StatusTools {
    fileprivate var tokensFinding: Finding {
        get async {
            switch await session() {
            case .success(true): Finding("tokens", isWell: true, "kept in \(tokens.place)")
            case .success(false): Finding("tokens", isWell: false, "not logged in; run '\(ProgramName.current) login'")
            case .failure(let error): Finding("tokens", failure: .cannotWrite, "\(tokens.place): \(error)")
            }
        }
    }

    fileprivate var dataFinding: Finding {
        get async {
            guard let open = data else { return Finding("offline", isWell: true, Self.nothingOffline) }
            do {
                let data = try await open()
                try await data.check()
                let comparison = await data.comparison
                let status = try await data.sync.status()
                let program = ProgramName.current
                let hidden =
                    status.hidden == 0 ? "" : "\(status.hidden) that this version cannot show (update \(program)), "
                return Finding(
                    dataName, isWell: status.rejected + status.conflicts + status.hidden == 0,
                    "\(data.path), \(status.pending) to send, \(QuantityText.count(status.conflicts, "conflict")) "
                        + "('\(program) conflicts list'), \(status.rejected) rejected ('\(program) outbox list'), "
                        + hidden + comparison)
            } catch {
                let error = DomainError(error)
                let isForeign = ExitStatus(error) == .noPermission
                return Finding(dataName, failure: isForeign ? .noPermission : .cannotWrite, error.description)
            }
        }
    }

    fileprivate var cacheFinding: Finding {
        get async {
            let stats = await cache.stats()
            return Finding(
                "cache", isWell: true,
                "\(QuantityText.count(stats.entries, "entry", plural: "entries")), \(stats.bytes) bytes")
        }
    }

    fileprivate func serverFinding(within limit: Duration?) async -> Finding {
        let state = await ServerState(asking: client, within: limit)
        let step =
            switch state {
            case .ready: ""
            case .foreign: ", such as the login page of a network; open a page in a browser, and check --server"
            case .notReady, .unreachable: "; check --server and the network, or work on: writes are queued"
            }
        return Finding("server", isWell: state == .ready, "\(server) is \(state.rawValue)\(step)")
    }
}

extension LocalDataTools {
    /// Fetches what is new and compares every row with the server's digest; rows that differ are repaired.
    fileprivate var comparison: String {
        get async {
            guard let verify else { return "not compared with the server" }
            do throws(DomainError) {
                let repaired = try await verify()
                let rows = QuantityText.count(repaired, "row")
                return repaired == 0 ? "compared with the server" : "\(rows) repaired from the server"
            } catch {
                return "not compared with the server (\(error))"
            }
        }
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
