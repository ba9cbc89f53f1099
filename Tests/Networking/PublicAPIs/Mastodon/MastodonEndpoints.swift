import FoundationEssentials
import StrataDomain

extension Mastodon {
    struct GetAccount: RoutedEndpoint {
        static let route = Route.get("/api/v1/accounts/{id}")
        typealias Response = Account
        @Path var id: String
    }

    struct FollowAccount: RoutedEndpoint {
        static let route = Route.post("/api/v1/accounts/{id}/follow")
        typealias Response = Relationship
        @Path var id: String
        @Body var follow: Follow

        struct Follow: Codable, Sendable {
            var reblogs: Bool?
            var notify: Bool?
            var languages: [String]?
        }
    }

    struct ListFollowers: RoutedEndpoint {
        static let route = Route.get("/api/v1/accounts/{id}/followers")
        typealias Response = [Account]
        @Path var id: String
        @Query var limit: Int?
    }

    /// The server reads lists in brackets (docs.joinmastodon.org, "Parameters"), which the OpenAPI document leaves out.
    struct ListNotifications: RoutedEndpoint {
        static let route = Route.get("/api/v1/notifications")
        typealias Response = [Notification]
        @BracketQuery var types: [NotificationType] = []
        @BracketQuery var excludeTypes: [NotificationType] = []
        @Query var accountId: String?
        @Query var sinceId: String?
        @Query var limit: Int?
        @Query var includeFiltered: Bool?
    }

    struct PostStatus: RoutedEndpoint, FailingEndpoint {
        static let route = Route.post("/api/v1/statuses")
        typealias Response = Status
        typealias Failure = Mastodon.Failure
        @Body var draft: Draft

        enum Visibility: String, Codable { case `public`, unlisted, `private`, direct }

        struct Draft: Codable, Sendable {
            var status: String
            var visibility: Visibility?
            var poll: Poll?
            var scheduledAt: Date?
        }

        struct Poll: Codable, Sendable {
            var options: [String]
            /// Seconds.
            var expiresIn: Int
            var multiple = false
            var hideTotals = false
        }
    }

    struct DeleteStatus: RoutedEndpoint {
        static let route = Route.delete("/api/v1/statuses/{id}")
        typealias Response = NoContent
        @Path var id: String
        @Query var deleteMedia: Bool?
    }

    struct TagTimeline: RoutedEndpoint {
        static let route = Route.get("/api/v1/timelines/tag/{hashtag}")
        typealias Response = [Status]
        @Path var hashtag: String
        @BracketQuery var any: [String] = []
        @BracketQuery var none: [String] = []
        @Query var onlyMedia: Bool?
    }

    struct UnblockDomain: RoutedEndpoint {
        static let route = Route.delete("/api/v1/domain_blocks")
        typealias Response = NoContent
        @Body var block: Block

        struct Block: Codable, Sendable { var domain: String }
    }

    /// The place in each timeline.
    struct SaveMarkers: RoutedEndpoint {
        static let route = Route.post("/api/v1/markers")
        typealias Response = [String: Marker]
        @Body var markers: [String: Marker]
    }

    struct Search: RoutedEndpoint {
        static let route = Route.get("/api/v2/search")
        typealias Response = Found
        @Query var q: String
        @Query var type: Kind?
        @Query var resolve = false
        @Query var offset: Int?

        enum Kind: String, ParameterValue { case accounts, hashtags, statuses }
    }

    /// Its body is a multipart form. The media is processed when the response is 202.
    struct UploadMedia: RoutedEndpoint {
        static let route = Route.post("/api/v2/media")
        typealias Response = Media
    }

    /// 206 without a body while the media is processed.
    struct GetMedia: RoutedEndpoint {
        static let route = Route.get("/api/v1/media/{id}")
        typealias Response = Media?
        @Path var id: String
    }
}
