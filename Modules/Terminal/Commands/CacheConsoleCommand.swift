/// A command about the caches of the server's answers.
public protocol CacheConsoleCommand: ConsoleCommand {
    func run(_ tools: CacheTools, _ console: Console) async throws
}
