import FoundationEssentials
import StrataDomain
import StrataNetworking
import StrataTesting

/// The API of Mastodon 4.7: snake case, enumerations that grow, lists in brackets, pages by `Link`, errors as `{"error": …}`.
///
/// Source: abraham/mastodon-openapi, commit 89b11e724f5015e232d160749e3b2fd4006e100d, `dist/schema.json`.
enum Mastodon {
    static func api(_ answers: ScriptedTransport.Answer...) throws -> PublicAPI {
        try PublicAPI(
            "https://mastodon.example", auth: .token(Secret("t-1")),
            options: ClientOptions(json: .snakeCase(dates: .rfc3339)), answers)
    }

    struct Account: Decodable, Sendable, Equatable {
        var id: String
        var username: String
        var acct: String
        var displayName: String?
        var createdAt: Date?
        var lastStatusAt: Date?
        var followersCount: Int?
        var fields: [Field]?
    }

    struct Field: Decodable, Sendable, Equatable {
        var name: String
        var verifiedAt: Date?
    }

    struct Relationship: Decodable, Sendable, Equatable {
        var id: String
        var following: Bool
        var mutingNotifications: Bool
        var blocking: Bool
    }

    struct Status: Decodable, Sendable, Equatable {
        var id: String
        var createdAt: Date
        var content: String?
        var inReplyToId: String?
        var application: Application?
    }

    struct Application: Decodable, Sendable, Equatable {
        var name: String
        var website: String?
    }

    enum NotificationType: String, ParameterValue {
        case mention, status, reblog, follow, favourite, poll, update
        case followRequest = "follow_request"
        case signUp = "admin.sign_up"
    }

    struct Notification: Decodable, Sendable, Equatable {
        var id: String
        var type: Open<NotificationType>
        var createdAt: Date
        var account: Account
        var status: Status?
    }

    struct Found: Decodable, Sendable, Equatable {
        var accounts: [Account]
        var statuses: [Status]
        var hashtags: [Tag]
    }

    struct Tag: Decodable, Sendable, Equatable {
        var id: String
        var name: String
        var history: [Day]
    }

    /// All three are texts on the wire.
    struct Day: Decodable, Sendable, Equatable {
        var day: String
        var uses: String
        var accounts: String
    }

    struct Marker: Codable, Sendable, Equatable {
        var lastReadId: String
        var version: Int?
        var updatedAt: Date?
    }

    struct Media: Decodable, Sendable, Equatable {
        var id: String
        var type: String
        var url: String?
        var meta: Meta
    }

    struct Meta: Decodable, Sendable, Equatable { var focus: Focus }
    struct Focus: Decodable, Sendable, Equatable { var x: Double, y: Double }

    struct Failure: Decodable, Sendable, Equatable {
        var error: String
        var details: [String: [Detail]]?
    }

    struct Detail: Decodable, Sendable, Equatable {
        var error: String
        var description: String
    }
}
