import FoundationEssentials

/// What a run found or did, for people and for programs.
package struct Report: Sendable, Hashable {
    package let exitCode: ExitCode
    /// One or more sentences.
    package let message: String
    package let changes: [Change]
    /// What to do next, a command or a sentence each.
    package let next: [String]
    package let features: [Feature]
    package let clients: [Client]

    package struct Change: Sendable, Hashable, Codable {
        /// `create`, `edit` or `delete`.
        package let action: String
        package let path: String

        package init(action: String, path: String) { (self.action, self.path) = (action, path) }
    }

    /// A feature as it is listed.
    package struct Feature: Sendable, Hashable, Codable {
        package let name: String
        package let plural: String
        package let policy: String
        package let fields: String
        /// What differs from what was written; empty for an untouched one.
        package let differences: [String]
    }

    /// A client as it is listed.
    package struct Client: Sendable, Hashable, Codable {
        package let name: String
        package let baseURL: String
        package let auth: String
        /// What differs from what was written; empty for an untouched one.
        package let differences: [String]
    }

    package init(
        _ exitCode: ExitCode, _ message: String, plan: Plan? = nil, changes: [Change] = [], features: [Feature] = [],
        clients: [Client] = [], next: [String] = []
    ) {
        (self.exitCode, self.message, self.next) = (exitCode, message, next)
        (self.features, self.clients) = (features, clients)
        self.changes = plan?.steps.map { Change(action: $0.verb, path: "\($0.path)") } ?? changes
    }

    /// Lines for people.
    package var text: String {
        var lines = changes.map { change in
            change.action + String(repeating: " ", count: max(1, 8 - change.action.count)) + change.path
        }
        for feature in features {
            lines.append("\(feature.name) (\(feature.plural), \(feature.policy)): \(feature.fields)")
            lines += feature.differences.map { "  \($0)" }
        }
        for client in clients {
            lines.append("\(client.name) (client, \(client.auth)): \(client.baseURL)")
            lines += client.differences.map { "  \($0)" }
        }
        lines.append(message)
        lines += next.map { "  \($0)" }
        return lines.joined(separator: "\n")
    }

    private struct Stored: Codable {
        let status: String
        let exitCode: Int32
        let message: String
        let changes: [Change]
        let features: [Feature]
        let clients: [Client]
        let next: [String]
    }

    /// One JSON document.
    package var json: String {
        let stored = Stored(
            status: "\(exitCode)", exitCode: exitCode.rawValue, message: message, changes: changes, features: features,
            clients: clients, next: next)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(stored)).flatMap { String(validating: $0, as: UTF8.self) } ?? "{}"
    }
}
