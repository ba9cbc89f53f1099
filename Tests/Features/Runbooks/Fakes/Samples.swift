import FoundationEssentials
import RunbooksDomain
import StrataDomain

extension Runbook {
    static func example(
        _ id: String = "r1", title: String = "Disk full", body: String = "# Steps", tags: [String] = [],
        version: Int = 1
    ) -> Runbook {
        Runbook(
            id: ID(id), title: title, body: body, tags: tags, version: version,
            updatedAt: Date(timeIntervalSince1970: 1_795_251_600))
    }
}
