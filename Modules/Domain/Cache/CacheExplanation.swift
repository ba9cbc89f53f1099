public import FoundationEssentials

/// The cached responses for one URL and one principal, and the effect of a request now. It holds no body.
public struct CacheExplanation: Encodable, Sendable, Hashable {
    /// The effect of a plain GET.
    public enum Action: String, Encodable, Sendable, Hashable {
        /// Served from the cache, without a request.
        case hit
        /// Served stale and revalidated in the background.
        case stale
        /// The stored response is revalidated.
        case validate
        /// The origin is asked for the whole response.
        case ask
    }

    /// The absolute URL that was asked about.
    public var url: String
    /// Digest of the cache key, with the principal, in hexadecimal.
    public var key: String
    /// What the cache would do.
    public var action: Action
    /// The reason, as a sentence.
    public var reason: String
    /// Latest first.
    public var responses: [ExplainedResponse]
    /// The cached decoded value for the same path of the API.
    public var value: ExplainedValue?

    /// An explanation; nothing is stored unless it is given.
    public init(
        url: String, key: String, action: Action, reason: String, responses: [ExplainedResponse] = [],
        value: ExplainedValue? = nil
    ) {
        self.url = url
        self.key = key
        self.action = action
        self.reason = reason
        self.responses = responses
        self.value = value
    }

    /// One stored response; times in seconds.
    public struct ExplainedResponse: Encodable, Sendable, Hashable {
        /// The stored status.
        public var status: Int
        /// Bytes of the stored body.
        public var bytes: Int
        /// The range in the whole content, as `0-99`; `nil` for a whole response.
        public var range: String?
        /// When the response was stored.
        public var storedAt: Date
        /// Seconds since the origin made or revalidated it.
        public var age: Int
        /// Seconds for which it is fresh, counted as `age` is.
        public var freshFor: Int
        /// The source of `freshFor`.
        public var freshForBecause: String
        /// Whether it may be served without a request now.
        public var isFresh: Bool
        /// Must be revalidated before its next use, at any age: `no-cache`, or a write.
        public var mustValidate: Bool
        /// `ETag`, as it was received.
        public var etag: String?
        /// `Last-Modified`, as it was received.
        public var lastModified: String?
        /// `Cache-Control`, as it was received.
        public var cacheControl: String?
        /// The request fields that select it, with their values.
        public var vary: [String]
        /// How long it may be served stale while it is revalidated in the background.
        public var staleWhileRevalidate: Int
        /// How long it may be served stale while the origin is unreachable.
        public var staleIfError: Int

        private enum CodingKeys: String, CodingKey {
            case status, bytes, range, storedAt, age, freshFor, freshForBecause
            case isFresh = "fresh"
            case mustValidate, etag, lastModified, cacheControl, vary, staleWhileRevalidate, staleIfError
        }

        /// A stored response, with all that the decision depends on.
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
    public struct ExplainedValue: Encodable, Sendable, Hashable {
        /// The Swift type of the value.
        public var type: String
        /// Bytes of its JSON.
        public var bytes: Int
        /// When the value was stored.
        public var storedAt: Date
        /// When it stops to be fresh.
        public var freshUntil: Date
        /// After this it is not served, also when the server is unreachable.
        public var keptUntil: Date
        /// Whether it may be shown without a request now.
        public var isFresh: Bool
        /// The names under which it is invalidated together with others.
        public var tags: [String]
        /// The entity tags with which a stale value is revalidated, one for each page of a list; empty without any.
        public var etags: [String]

        private enum CodingKeys: String, CodingKey {
            case type, bytes, storedAt, freshUntil, keptUntil
            case isFresh = "fresh"
            case tags, etags
        }

        /// A stored value, with all that the decision depends on.
        public init(
            type: String, bytes: Int, storedAt: Date, freshUntil: Date, keptUntil: Date, isFresh: Bool, tags: [String],
            etags: [String] = []
        ) {
            self.type = type
            self.bytes = bytes
            self.storedAt = storedAt
            self.freshUntil = freshUntil
            self.keptUntil = keptUntil
            self.isFresh = isFresh
            self.tags = tags
            self.etags = etags
        }
    }
}
