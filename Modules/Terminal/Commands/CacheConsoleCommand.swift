public import StrataDomain

/// A command about the response cache.
public protocol CacheConsoleCommand: ConsoleCommand {
    func run(_ cache: any CacheMaintenance, _ console: Console) async throws
}
