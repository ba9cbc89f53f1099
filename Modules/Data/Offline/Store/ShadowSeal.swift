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
        var (name, id, data) = (key.collection, key.id, data)
        return name.withUTF8 { name in
            id.withUTF8 { id in
                data.withUTF8 { value(name, id, version: version, updatedAt: Int(updatedAt), data: $0) }
            }
        }
    }

    /// The same of texts that are UTF-8 already.
    static func value(
        _ collection: UnsafeBufferPointer<UInt8>, _ id: UnsafeBufferPointer<UInt8>, version: Int, updatedAt: Int,
        data: UnsafeBufferPointer<UInt8>
    ) -> Int64 {
        var hash = StableHash()
        hash.combine(utf8: collection)
        hash.combine(utf8: id)
        hash.combine(version)
        hash.combine(updatedAt)
        hash.combine(utf8: data)
        return Int64(bitPattern: hash.value)
    }
}
