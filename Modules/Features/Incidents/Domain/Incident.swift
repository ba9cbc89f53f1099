package import AccountsDomain
package import FoundationEssentials
package import RunbooksDomain
package import StrataDomain

/// An incident as a person writes it; kept, it is a `Stored` one.
package struct Incident: Entity {
    package static let noun = "incident"
    package static let collection = "incidents"
    package static let fields: [EntityField<Incident>] = [
        .init("title", \.title, .line(1...200)),
        .init("alias", \.alias, .line(1...200)),
        .init("details", \.details, .lines(1...65_536)),
        .init("note", \.note, .lines(1...65_536)),
        .init("severity", \.severity),
        .init("phase", \.phase),
        .init("started_at", \.startedAt),
        .init("ended_at", \.endedAt),
        .init("count", \.count),
        .init("size", \.size, .within(-5...5)),
        .init("load", \.load),
        .init("ratio", \.ratio),
        .init("is_public", \.isPublic),
        .init("done", \.done),
        .init("device", \.device),
        .init("peer", \.peer),
        .init("page", \.page, .web),
        .init("link", \.link, .web),
        .init("owner", \.owner),
        .init("runbook", \.runbook),
        .init("slug", \.slug, .line(8...20)).unique,
        .init("token", \.token, .lines(1...65_536)).redacted,
    ]

    package enum Severity: String, FieldChoice { case low, high }
    package enum Phase: String, FieldChoice { case opened, inReview, closed }
    package typealias OwnerID = User.ID
    package typealias RunbookID = Runbook.ID

    package var title: String
    package var alias: String?
    package var details: String
    package var note: String?
    package var severity: Severity
    package var phase: Phase?
    package var startedAt: Date
    package var endedAt: Date?
    package var count: Int
    package var size: Int?
    package var load: Double
    package var ratio: Double?
    package var isPublic: Bool
    package var done: Bool?
    package var device: UUID
    package var peer: UUID?
    package var page: URL
    package var link: URL?
    package var owner: OwnerID
    package var runbook: RunbookID?
    package var slug: String
    package var token: String?

    package init(
        title: String,
        alias: String? = nil,
        details: String,
        note: String? = nil,
        severity: Severity,
        phase: Phase? = nil,
        startedAt: Date,
        endedAt: Date? = nil,
        count: Int,
        size: Int? = nil,
        load: Double,
        ratio: Double? = nil,
        isPublic: Bool,
        done: Bool? = nil,
        device: UUID,
        peer: UUID? = nil,
        page: URL,
        link: URL? = nil,
        owner: OwnerID,
        runbook: RunbookID? = nil,
        slug: String,
        token: String? = nil,
    ) {
        self.title = title
        self.alias = alias
        self.details = details
        self.note = note
        self.severity = severity
        self.phase = phase
        self.startedAt = startedAt
        self.endedAt = endedAt
        self.count = count
        self.size = size
        self.load = load
        self.ratio = ratio
        self.isPublic = isPublic
        self.done = done
        self.device = device
        self.peer = peer
        self.page = page
        self.link = link
        self.owner = owner
        self.runbook = runbook
        self.slug = slug
        self.token = token
    }
}
