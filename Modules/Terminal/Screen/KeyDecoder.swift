/// Reads keys from the bytes of a terminal in raw mode (ECMA-48, section 5.4; xterm's bracketed paste).
///
/// Bytes may arrive in any pieces. What is no key that is known is dropped.
struct KeyDecoder: Sendable {
    /// Bytes of a key that is not complete.
    private var rest: [UInt8] = []
    private var isPasting = false

    /// Whether more bytes must arrive. After a short time `flush` reads what is there.
    var isWaiting: Bool { !rest.isEmpty && !isPasting }

    mutating func keys(in bytes: some Sequence<UInt8>) -> [Key] {
        rest += bytes
        var keys: [Key] = []
        while let (key, count) = isPasting ? pasted() : next() {
            rest.removeFirst(count)
            if let key { keys.append(key) }
        }
        return keys
    }

    /// No more bytes came: an escape byte alone is the key.
    mutating func flush() -> [Key] {
        guard isWaiting else { return [] }
        let isEscape = rest.first == Self.escape
        // What followed the escape byte was typed as characters.
        let others = isEscape ? rest.dropFirst() : []
        rest = []
        return (isEscape ? [.escape] : []) + keys(in: others)
    }

    private static let escape: UInt8 = 0x1B
    private static let pasteEnd = Array("\u{1B}[201~".utf8)
    /// Most bytes of a paste, and of a sequence; more are dropped.
    private static let (longestPaste, longestSequence) = (1 << 20, 32)

    /// The next key and its bytes; no key for bytes to drop. `nil`: more bytes are needed.
    private mutating func next() -> (Key?, Int)? {
        guard let first = rest.first else { return nil }
        switch first {
        case Self.escape: return sequence()
        case 0x0D: return (.enter, 1)
        case 0x09: return (.tab, 1)
        case 0x7F, 0x08: return (.backspace, 1)
        case 0x01...0x1A: return (.control(Character(Unicode.Scalar(first + 0x60))), 1)
        case 0...0x1F: return (nil, 1)
        default: return character(first)
        }
    }

    private func character(_ first: UInt8) -> (Key?, Int)? {
        let length = first < 0x80 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC2 ? 2 : 0
        guard length > 0 else { return (nil, 1) }
        let bytes = rest.prefix(length)
        // A byte that continues nothing ends the character.
        if let wrong = bytes.dropFirst().firstIndex(where: { $0 & 0xC0 != 0x80 }) { return (nil, wrong) }
        guard bytes.count == length else { return nil }
        guard let text = String(validating: bytes, as: UTF8.self), text.count == 1, let character = text.first else {
            return (nil, length)
        }
        let isControl = character.unicodeScalars.allSatisfy { (0x80...0x9F).contains($0.value) }
        return (isControl ? nil : .character(character), length)
    }

    private mutating func sequence() -> (Key?, Int)? {
        guard rest.count > 1 else { return nil }
        switch rest[1] {
        case UInt8(ascii: "["): return controlSequence()
        case UInt8(ascii: "O"):
            guard rest.count > 2 else { return nil }
            return (rest[2] == UInt8(ascii: "M") ? .enter : Self.final(rest[2]), 3)
        // Two keys that came together.
        default: return (.escape, 1)
        }
    }

    private mutating func controlSequence() -> (Key?, Int)? {
        guard let end = rest.dropFirst(2).firstIndex(where: { !(0x20...0x3F).contains($0) }) else {
            return rest.count > Self.longestSequence ? (nil, rest.count) : nil
        }
        // The function keys of the Linux console: ESC [ [ A.
        if end == 2, rest[2] == UInt8(ascii: "[") { return rest.count > 3 ? (nil, 4) : nil }
        guard rest[end] == UInt8(ascii: "~") else { return (Self.final(rest[end]), end + 1) }
        let number = String(decoding: rest[2..<end].prefix { (0x30...0x39).contains($0) }, as: UTF8.self)
        let key: Key? =
            switch number {
            case "1", "7": .home
            case "4", "8": .end
            case "3": .delete
            case "5": .pageUp
            case "6": .pageDown
            default: nil
            }
        isPasting = number == "200"
        return (key, end + 1)
    }

    private static func final(_ byte: UInt8) -> Key? {
        switch byte {
        case UInt8(ascii: "A"): .up
        case UInt8(ascii: "B"): .down
        case UInt8(ascii: "C"): .right
        case UInt8(ascii: "D"): .left
        case UInt8(ascii: "H"): .home
        case UInt8(ascii: "F"): .end
        case UInt8(ascii: "Z"): .backTab
        default: nil
        }
    }

    /// The pasted text, once its end is there.
    private mutating func pasted() -> (Key?, Int)? {
        let end = rest.indices.first { rest[$0...].starts(with: Self.pasteEnd) }
        guard let end else {
            guard rest.count > Self.longestPaste else { return nil }
            isPasting = false
            return (nil, rest.count)
        }
        isPasting = false
        return (.paste(String(decoding: rest[..<end], as: UTF8.self)), end + Self.pasteEnd.count)
    }
}
