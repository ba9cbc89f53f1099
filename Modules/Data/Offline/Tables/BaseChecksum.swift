import StrataDomain

/// A checksum of a base row, stored beside it in the column `checksum`. A comparison with the server fetches a row again when its
/// checksum is wrong: another program changed the row, but not its version.
///
/// It detects damage and edits by hand, not an attacker, who can compute it.
enum BaseChecksum {
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
