/// Ids as a table on a terminal shows them: the shortest ends, of seven characters at least, that differ from each other.
///
/// The end and not the beginning: ids of one minute begin alike, since a UUID of version 7 begins with the time.
/// Only UUIDs are shortened.
struct ShortIDs {
    private let length: Int

    static let shortest = 7

    init(_ ids: some Sequence<String>) {
        let uuids = Set(ids.filter(Self.isUUID))
        var length = Self.shortest
        while length < Self.uuidLength, Set(uuids.map { $0.suffix(length) }).count < uuids.count { length += 1 }
        self.length = length
    }

    func text(_ id: String) -> String { Self.isUUID(id) ? String(id.suffix(length)) : id }

    /// Whether `id` is a UUID in text form (RFC 9562, section 4) in small letters.
    static func isUUID(_ id: String) -> Bool {
        id.utf8.count == uuidLength
            && id.utf8.enumerated().allSatisfy { place, byte in
                [8, 13, 18, 23].contains(place) ? byte == UInt8(ascii: "-") : isDigit(byte)
            }
    }

    /// Whether `text` may be a part of an id: four characters of a UUID or more, but not all of them.
    static func isPart(_ text: String) -> Bool {
        (shortestPart..<uuidLength).contains(text.utf8.count) && isOfDigits(text)
    }

    /// Whether `text` may be too short a part of an id.
    static func isTooShort(_ text: String) -> Bool { (1..<shortestPart).contains(text.utf8.count) && isOfDigits(text) }

    static let shortestPart = 4

    private static func isOfDigits(_ text: String) -> Bool {
        text.utf8.allSatisfy { isDigit($0) || $0 == UInt8(ascii: "-") }
    }

    private static let uuidLength = 36

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
}
