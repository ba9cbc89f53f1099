import FoundationEssentials
import RunbooksDomain
import StrataDomain
import StrataTesting

extension Runbook {
    static func example(
        _ id: String = "r1", title: String = "Disk full", body: String = "# Steps", tags: [String] = [],
        version: Int = 1
    ) -> Runbook {
        Runbook(
            id: ID(id), title: title, body: body, tags: tags, version: version,
            updatedAt: .noon)
    }

    /// With a value in every field.
    static func sample(_ id: String = "r1", title: String = "Restart", version: Int = 3) -> Runbook {
        example(id, title: title, body: "# Restart\n1. Breathe.\n", tags: ["db", "night"], version: version)
    }
}
