import FoundationEssentials

/// Names the rows of a file by its content and their places, so that an import that is repeated creates nothing twice.
///
/// Two `StableHash`es make accidents impossible in practice. Who makes two files with equal ones on purpose loses rows of their own.
package struct ImportNames: Sendable, Hashable {
    private var first = StableHash()
    private var second = StableHash()

    /// - Parameter collection: Of the entity: equal files of two entities name different rows.
    package init(_ collection: String) {
        second.combine(1)
        add(collection)
    }

    package mutating func add(_ text: String) {
        first.combine(text)
        second.combine(text)
    }

    /// The same for text as UTF-8.
    package mutating func add(_ text: UnsafeBufferPointer<UInt8>) {
        first.combine(text)
        second.combine(text)
    }

    /// A UUID of version 8 (RFC 9562, section 5.8). Those of one file are in the order of its rows, and before every id that was made
    /// by time, so that lists of newest first begin with what was written by hand.
    ///
    /// - Parameter row: From 0.
    package func name(of row: Int) -> String {
        var tail = second
        tail.combine(row)
        let place = UInt64(UInt32(truncatingIfNeeded: row))
        let high = (first.value & 0xFFFF_FFFF) << 16 | 0x8000 | place >> 20
        let low = 0x8000_0000_0000_0000 | (place & 0xF_FFFF) << 42 | tail.value & 0x3FF_FFFF_FFFF
        return withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
            .text
    }
}
