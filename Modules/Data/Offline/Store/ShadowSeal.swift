import StrataDomain

/// A hash of everything the server said about an agreed row, stored beside it: a row that somebody else altered without
/// touching its version does not have its seal any more, and is fetched again.
///
/// It finds hands and accidents, not somebody who computes it anew.
enum ShadowSeal {
    /// - Parameters:
    ///   - updatedAt: In milliseconds since 1970.
    ///   - data: As it is stored.
    static func value(_ key: EntityKey, version: Int, updatedAt: Int64, data: String) -> Int64 {
        var hash = StableHash()
        hash.combine(key.collection)
        hash.combine(key.id)
        hash.combine(version)
        hash.combine(Int(updatedAt))
        hash.combine(data)
        return Int64(bitPattern: hash.value)
    }
}
