package import ArgumentParser
import StrataDomain
import StrataSystem

/// `cache explain URL|PATH`.
package struct CacheExplainCommand: CacheConsoleCommand {
    package static let configuration = CommandConfiguration(
        commandName: "explain", abstract: "Show what is stored for a URL, and what a request would do with it.",
        discussion: """
            Shows the responses stored for the current account, and for a path of the server such as /v1/notes also \
            the decoded value that commands use. Sends nothing.

            With --json: {"url", "key", "action": "hit", "stale", "validate" or "ask", "reason", "responses": [{"status", \
            "bytes", "stored_at", "age", "fresh_for", "fresh_for_because", "fresh", "must_validate", "etag", \
            "cache_control", "vary", "stale_while_revalidate", "stale_if_error", …}], "value": {"type", "bytes", \
            "stored_at", "fresh_until", "kept_until", "fresh", "tags", "etags"}}; times in seconds.

            Example: \(ProgramName.current) cache explain /v1/notes
            """)

    /// The URL or the path that is explained.
    @Argument(help: ArgumentHelp("An absolute URL, or a path of the server.", valueName: "url|path"))
    package var target: String
    @OptionGroup package var options: GlobalOptions

    package init() {}

    package func validate() throws { try RequestArguments.check(target: target) }

    package func run(_ tools: CacheTools, _ console: Console) async throws {
        let explanation = try await tools.explain(target)
        if console.isJSON { return try console.json(explanation) }
        try await console.paged { Self.show(explanation, $0) }
    }

    private static func show(_ explanation: CacheExplanation, _ console: Console) {
        console.out(explanation.url)
        console.out("key      \(explanation.key)")
        console.out("request  \(explanation.action.rawValue): \(explanation.reason)")
        for (number, response) in explanation.responses.enumerated() {
            console.out("")
            console.out("response \(number + 1) of \(explanation.responses.count)")
            for line in response.lines(console.times) { console.out("  " + line) }
        }
        if let value = explanation.value {
            console.out("")
            console.out("decoded value")
            for line in value.lines(console.times) { console.out("  " + line) }
        }
    }
}

extension CacheExplanation.ExplainedResponse {
    /// For people.
    fileprivate func lines(_ times: TimeText) -> [String] {
        var lines = [
            "status \(status), \(bytes) bytes" + (range.map { ", bytes \($0) of a larger whole" } ?? ""),
            "stored at \(times.point(storedAt)), \(age) s old",
            "\(isFresh ? "fresh" : "not fresh"): fresh for \(freshFor) s, because of \(freshForBecause)",
        ]
        if mustValidate { lines.append("must be validated before each use") }
        lines.append(
            "validators: "
                + ([etag.map { "ETag \($0)" }, lastModified.map { "Last-Modified \($0)" }].compactMap { $0 }.joined(
                    separator: ", "
                ).nonEmpty ?? "none"))
        if let cacheControl { lines.append("Cache-Control: \(cacheControl)") }
        lines.append("varies by: " + (vary.joined(separator: "; ").nonEmpty ?? "nothing"))
        lines.append(
            "stale: \(staleWhileRevalidate) s while it is validated, \(staleIfError) s while the origin is away")
        return lines
    }
}

extension CacheExplanation.ExplainedValue {
    /// For people.
    fileprivate func lines(_ times: TimeText) -> [String] {
        [
            "\(type), \(bytes) bytes", "stored at \(times.point(storedAt))",
            "\(isFresh ? "fresh" : "stale"): fresh until \(times.point(freshUntil))",
            "served while the server is away until \(times.point(keptUntil))",
            "tags: " + (tags.joined(separator: ", ").nonEmpty ?? "none"),
            "revalidated by: " + (etags.map { "ETag \($0)" }.joined(separator: ", ").nonEmpty ?? "nothing"),
        ]
    }
}

extension String {
    fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}
