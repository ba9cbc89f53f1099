/// `GET /v1/sync/digest`: counts and hashes of the server's live rows, for comparison with the local rows.
///
/// Compare only when `upTo` is the `upTo` of the last page; otherwise pull first. Where a bucket differs, fetch it with
/// `FetchSnapshot(collections:bucket:)`. Errors: 400 for a malformed list of names. An unchanged digest is 304.
public struct FetchDigest: RoutedEndpoint {
    public static let route = Route.get("/v1/sync/digest")
    public typealias Response = SyncDigest
    public static let documentation = EndpointDocumentation(
        details: "Counts and hashes of the live rows, to compare with local rows.",
        schemas: ["collections": .collectionNames])

    /// Names of the wanted collections, joined by commas. Default: all.
    @Query public var collections: String?

    /// Asks for the digest of some collections, by default of all.
    public init(collections: String? = nil) { self.collections = collections }
}

/// Count and hash of the live rows, by collection and bucket, at one version.
public struct SyncDigest: Codable, Sendable, Hashable, EntityTagged {
    /// Names the server's data; another epoch means that the data was replaced.
    public var epoch: String
    /// The newest version in the counts. Where writers run side by side, a later one while a write is open: no client has it, so
    /// none compares rows of which some may be newer than the counts.
    public var upTo: Int
    /// By name.
    public var collections: [CollectionDigest]

    /// The digests of the collections at the version `upTo`.
    public init(epoch: String, upTo: Int, collections: [CollectionDigest]) {
        self.epoch = epoch
        self.upTo = upTo
        self.collections = collections
    }

    public var entityTag: EntityTag {
        var hash = StableHash()
        hash.combine(epoch)
        hash.combine(upTo)
        for digest in collections {
            hash.combine(digest.collection)
            hash.combine(digest.hash)
        }
        return EntityTag(hash.text)
    }
}

/// The live rows of one collection.
public struct CollectionDigest: Codable, Sendable, Hashable {
    /// The name of the collection.
    public var collection: String
    /// Its live rows.
    public var count: Int
    /// 16 hexadecimal digits.
    public var hash: String
    /// The buckets with rows, in order.
    public var buckets: [BucketDigest]

    /// The digest of a collection, summed up from its buckets.
    public init(collection: String, buckets: [BucketDigest]) {
        self.collection = collection
        self.buckets = buckets
        count = buckets.reduce(0) { $0 + $1.count }
        hash = buckets.reduce(0) { $0 &+ $1.sum }.hex
    }
}

/// The live rows of one bucket.
public struct BucketDigest: Codable, Sendable, Hashable {
    /// 0 to 255.
    public var bucket: Int
    /// Its live rows.
    public var count: Int
    /// 16 hexadecimal digits.
    public var hash: String

    /// The digest of the rows of one bucket.
    public init(bucket: Int, rows: RowDigest) {
        self.bucket = bucket
        count = rows.count
        hash = rows.sum.hex
    }

    fileprivate var sum: UInt64 { UInt64(hash, radix: 16) ?? 0 }
}

/// Adds up rows in any order. Two sides with the same ids at the same versions get the same digest.
public struct RowDigest: Sendable, Hashable {
    /// The number of buckets of a collection.
    public static let buckets = 256

    /// The rows that were added up.
    public private(set) var count: Int
    /// Sum of the rows' hashes, modulo 2^64.
    public private(set) var sum: UInt64

    /// The digest of so many rows with this sum; of none by default.
    public init(count: Int = 0, sum: UInt64 = 0) {
        self.count = count
        self.sum = sum
    }

    /// Adds a row.
    public mutating func insert(_ row: RowHash) {
        count += 1
        sum &+= row.value
    }

    /// Takes away a row that was added.
    public mutating func remove(_ row: RowHash) {
        count -= 1
        sum &-= row.value
    }
}

/// The hash of a row's id and version, and its bucket, which depends on the id only.
public struct RowHash: Sendable, Hashable {
    /// 0 to 255.
    public let bucket: Int
    /// The hash; the same on every machine and in every version.
    public let value: UInt64

    /// The hash of the row `id` at `version`.
    public init(id: String, version: Int) {
        var hash = StableHash()
        hash.combine(id)
        let name = hash.value
        bucket = Int(name >> 56)
        value = StableHash.mixed(name &+ UInt64(bitPattern: Int64(version)) &* 0x9E37_79B9_7F4A_7C15)
    }
}
