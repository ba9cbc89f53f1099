import ArgumentParser
import Dispatch
import FoundationEssentials
import StrataConcurrency
import StrataDomain
import StrataTerminal

extension Wiring {
    /// The entities that are stored here, for the completion of ids: the server is not asked, and without stored data nothing is made.
    /// Blocks for a second at most.
    static func candidates(
        _ program: ClientProgram, _ collection: String, _ part: String
    ) -> [IDCandidate] {
        let found = FoundCandidates()
        let done = DispatchSemaphore(value: 0)
        Task.detached {
            let candidates = try? await stored(program, collection, part)
            found.list.withLock { $0 = candidates ?? [] }
            done.signal()
        }
        _ = done.wait(timeout: .now() + .seconds(1))
        return found.list.withLock { $0 }
    }

    private final class FoundCandidates: Sendable {
        let list = Mutex<[IDCandidate]>([])
    }

    /// The newest, and those that begin with `part` where none of the newest does.
    private static func stored(
        _ program: ClientProgram, _ collection: String, _ part: String
    ) async throws -> [IDCandidate] {
        let settings = try Settings(
            program, GlobalOptions.parse(["--offline"]), environment: ProcessInfo.processInfo.environment)
        guard FileManager.default.fileExists(atPath: settings.paths.state) else { return [] }
        let console = Console(json: true, output: MemorySink(), errors: MemorySink())
        let wiring = try await Wiring(settings, console, isLogin: false, logs: Logs(program, verbose: false))
        guard let source = program.commands.lazy.compactMap({ $0.related[collection] }).first else { return [] }
        let entities = source(wiring, nil)
        let newest = try await entities.first(part.isEmpty ? 50 : 500).filter { $0.id.hasPrefix(part) }
        if !newest.isEmpty || part.utf8.count < 4 { return newest.map { IDCandidate(id: $0.id, title: $0.title) } }
        return try await entities.ids(with: part).filter { $0.hasPrefix(part) }.map { IDCandidate(id: $0, title: "") }
    }
}
