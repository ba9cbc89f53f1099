public import FoundationEssentials

/// What the caches hold for one URL and one reader, and what a request would do with it now. Holds no body.
public struct CacheExplanation: Encodable, Sendable, Hashable {
    /// What a plain GET would do.
    public enum Action: String, Encodable, Sendable, Hashable {
        case hit
        /// Served although it is stale, and validated behind the answer.
        case stale
        /// The origin is asked whether what is stored still holds.
        case validate
        /// The origin is asked for the whole answer.
        case ask
    }

    public var url: String
    /// Digest of what the responses are found by, the reader included, in hexadecimal.
    public var key: String
    public var action: Action
    /// Why, as a sentence.
    public var reason: String
    /// Latest first.
    public var responses: [Response]
    /// The decoded value that the app keeps for the same path of the API.
    public var value: Value?

    public init(
        url: String, key: String, action: Action, reason: String, responses: [Response] = [], value: Value? = nil
    ) {
        self.url = url
        self.key = key
        self.action = action
        self.reason = reason
        self.responses = responses
        self.value = value
    }

    /// One stored response; times in seconds.
    public struct Response: Encodable, Sendable, Hashable {
        public var status: Int
        public var bytes: Int
        /// The bytes it is of a larger whole, as `0-99`; `nil` for a whole.
        public var range: String?
        public var storedAt: Date
        /// Since the origin made or validated it.
        public var age: Int
        public var freshFor: Int
        /// What `freshFor` comes from.
        public var freshForBecause: String
        public var isFresh: Bool
        /// Must be validated before its next use, whatever its age: `no-cache`, or a write.
        public var mustValidate: Bool
        public var etag: String?
        public var lastModified: String?
        public var cacheControl: String?
        /// The request fields that select it, with their values.
        public var vary: [String]
        /// How long past its freshness it may be served while it is validated behind the answer.
        public var staleWhileRevalidate: Int
        /// How long past its freshness it may be served while the origin is away.
        public var staleIfError: Int

        private enum CodingKeys: String, CodingKey {
            case status, bytes, range, storedAt, age, freshFor, freshForBecause
            case isFresh = "fresh"
            case mustValidate, etag, lastModified, cacheControl, vary, staleWhileRevalidate, staleIfError
        }

        public init(
            status: Int, bytes: Int, range: String? = nil, storedAt: Date, age: Int, freshFor: Int,
            freshForBecause: String, isFresh: Bool, mustValidate: Bool = false, etag: String? = nil,
            lastModified: String? = nil, cacheControl: String? = nil, vary: [String] = [],
            staleWhileRevalidate: Int = 0, staleIfError: Int = 0
        ) {
            self.status = status
            self.bytes = bytes
            self.range = range
            self.storedAt = storedAt
            self.age = age
            self.freshFor = freshFor
            self.freshForBecause = freshForBecause
            self.isFresh = isFresh
            self.mustValidate = mustValidate
            self.etag = etag
            self.lastModified = lastModified
            self.cacheControl = cacheControl
            self.vary = vary
            self.staleWhileRevalidate = staleWhileRevalidate
            self.staleIfError = staleIfError
        }
    }

    /// One decoded value.
    public struct Value: Encodable, Sendable, Hashable {
        public var type: String
        public var bytes: Int
        public var storedAt: Date
        public var freshUntil: Date
        /// After this it is not served while the server is away either.
        public var keptUntil: Date
        public var isFresh: Bool
        public var tags: [String]

        private enum CodingKeys: String, CodingKey {
            case type, bytes, storedAt, freshUntil, keptUntil
            case isFresh = "fresh"
            case tags
        }

        public init(
            type: String, bytes: Int, storedAt: Date, freshUntil: Date, keptUntil: Date, isFresh: Bool, tags: [String]
        ) {
            self.type = type
            self.bytes = bytes
            self.storedAt = storedAt
            self.freshUntil = freshUntil
            self.keptUntil = keptUntil
            self.isFresh = isFresh
            self.tags = tags
        }
    }
}
