import ArgumentParser
import Dispatch
import FoundationEssentials
import StrataConcurrency
import StrataDomain
import StrataTerminal

extension Wiring {
    /// What is stored here, for the completion of ids: the server is not asked, and without stored data nothing is made.
    /// Blocks for a second at most.
    static func candidates(
        _ program: ClientProgram, _ subject: IDCandidates.Subject, _ part: String
    ) -> [IDCandidate] {
        let found = FoundCandidates()
        let done = DispatchSemaphore(value: 0)
        Task.detached {
            let candidates = try? await stored(program, subject, part)
            found.list.withLock { $0 = candidates ?? [] }
            done.signal()
        }
        _ = done.wait(timeout: .now() + .seconds(1))
        return found.list.withLock { $0 }
    }

    private final class FoundCandidates: Sendable {
        let list = Mutex<[IDCandidate]>([])
    }

    /// Of entities the newest, and those that begin with `part` where none of the newest does.
    private static func stored(
        _ program: ClientProgram, _ subject: IDCandidates.Subject, _ part: String
    ) async throws -> [IDCandidate] {
        let settings = try Settings(
            program, GlobalOptions.parse(["--offline"]), environment: ProcessInfo.processInfo.environment)
        if subject == .settings { return settings.config.candidates.filter { $0.id.hasPrefix(part) } }
        if subject == .profiles { return settings.config.profileCandidates.filter { $0.id.hasPrefix(part) } }
        guard FileManager.default.fileExists(atPath: settings.paths.state) else { return [] }
        let console = Console(json: true, output: MemorySink(), errors: MemorySink())
        let wiring = try await Wiring(settings, console, isLogin: false, logs: Logs(program, verbose: false))
        let collection: String
        switch subject {
        case .entities(of: let name): collection = name
        case .outbox, .conflicts:
            guard FileManager.default.fileExists(atPath: LocalData.path(settings)) else { return [] }
            let tools = try await wiring.offline().tools
            let found = try await subject == .outbox ? tools.outboxCandidates() : tools.conflictCandidates()
            return Array(found.filter { $0.id.hasPrefix(part) }.prefix(50))
        case .settings, .profiles: return []
        }
        guard let source = program.commands.lazy.compactMap({ $0.related[collection] }).first else { return [] }
        let entities = source(wiring, nil)
        let newest = try await entities.first(part.isEmpty ? 50 : 500).filter { $0.id.hasPrefix(part) }
        if !newest.isEmpty || part.utf8.count < 4 { return newest.map { IDCandidate(id: $0.id, title: $0.title) } }
        return try await entities.ids(with: part).filter { $0.hasPrefix(part) }.map { IDCandidate(id: $0, title: "") }
    }
}
