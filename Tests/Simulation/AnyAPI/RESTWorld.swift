import FoundationEssentials
import StrataDomain
import StrataTesting

/// One run against a REST server by foreign rules.
// Sendable proof: only the thread of the scheduler touches it.
final class RESTWorld: Run, @unchecked Sendable {
    let rules: RESTRules
    let bug: RESTBug?
    private(set) lazy var server = RESTServer(rules, run: self)
    var devices: [RESTDevice] = []
    /// The server's answer after an effect, and until when.
    var failureAfterEffect: (status: Int, until: Duration)?
    var listsAreCutUntil = Duration.zero
    /// The last response to each page of a list, for a planted bug.
    var lastPages: [String: RESTResponse] = [:]
    private var requests = 0
    private var tags = 0

    init(_ rules: RESTRules, seed: UInt64, bug: RESTBug?, keepsTrace: Bool) {
        (self.rules, self.bug) = (rules, bug)
        super.init(seed: seed, keepsTrace: keepsTrace)
    }

    /// The number of the next request.
    func nextRequest() -> Int {
        requests += 1
        return requests
    }

    /// A text that is written once.
    func tag(by writer: String) -> String {
        tags += 1
        return "\(writer)#\(tags)"
    }

    // MARK: - Another client

    func writeForeign(_ place: Int, _ choice: Int) {
        let name = rules.collections[choice % rules.collections.count]
        let rows = server.live(name)
        let pick = place % (rows.count + 1)
        guard pick < rows.count else {
            guard rows.count < Self.mostRows else { return }
            var fields: [String: JSONValue] = ["text": .string(tag(by: "f"))]
            if rules.ids == .naturalKey { fields["code"] = .string("k\(place % 4)") }
            if name == "tasks" { fields["project"] = foreignProject(place) }
            note("other creates \(server.putForeign(name, nil, fields) ?? "nothing") in \(name)")
            return
        }
        let id = rows[pick].row.id
        switch choice / 3 {
        case 0 where rows.count > 1:
            server.removeForeign(name, id)
            note("other deletes \(id) in \(name)")
        case 1 where name == "tasks":
            server.putForeign(name, id, ["project": foreignProject(place)])
            note("other moves \(id)")
        default:
            let field = choice % 2 == 0 ? "text" : "mark"
            server.putForeign(name, id, [field: .string(tag(by: "f"))])
            note("other writes \(field) of \(id) in \(name)")
        }
    }

    /// At this number of rows nobody makes more.
    static let mostRows = 8

    private func foreignProject(_ place: Int) -> JSONValue {
        let projects = server.live("projects")
        let pick = place % (projects.count + 1)
        return pick < projects.count ? .string(projects[pick].row.id) : .null
    }
}
