import RunbooksDomain
import StrataDomain
import StrataTesting

/// The server's runbooks, in memory.
typealias FakeRunbooks = MemoryEntityRepository<Runbook>

extension Stored<Runbook> {
    /// With a value in every field.
    static func sample(
        _ id: String = "r1", title: String = "Restart", body: String = "# Restart\n1. Breathe.\n",
        tags: [String] = ["db", "night"], version: Int = 3
    ) -> Self {
        let runbook = Runbook(title: title, body: body, tags: tags)
        return Stored(id: Runbook.ID(id), runbook, version: version, updatedAt: .noon)
    }
}
