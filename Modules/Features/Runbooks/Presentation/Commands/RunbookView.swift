import FoundationEssentials
import RunbooksDomain
import StrataDomain

/// A runbook for programs, named as on the wire.
struct RunbookView: Encodable {
    var id: String
    var title: String
    var body: String
    var tags: [String]
    var version: Int
    var updatedAt: Date

    init(_ runbook: Runbook) {
        id = runbook.id.rawValue
        title = runbook.title
        body = runbook.body
        tags = runbook.tags
        version = runbook.version
        updatedAt = runbook.updatedAt
    }
}
