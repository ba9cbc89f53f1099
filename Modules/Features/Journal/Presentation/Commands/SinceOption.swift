import ArgumentParser
import FoundationEssentials
import JournalDomain
import StrataDomain

/// `--since 12h`.
struct SinceOption: ParsableArguments {
    @Option(help: ArgumentHelp("Only entries since then: 30m, 12h, 7d, 2w, or an RFC 3339 time.", valueName: "time"))
    var since: String?

    func validate() throws {
        // Whether it can be read does not depend on the time.
        do { _ = try date(Date()) } catch { throw ValidationError(error.description) }
    }

    func date(_ now: Date) throws(DomainError) -> Date? {
        guard let since else { return nil }
        return try Since.date(since, now: now)
    }
}
