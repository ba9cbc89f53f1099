/// A mailbox without a name: `anna@example.com`.
public struct MailAddress: Sendable, Hashable, Codable, CustomStringConvertible {
    public let description: String

    /// The part after the last `@`.
    var domain: Substring { description.split(separator: "@").last ?? "" }

    /// - Parameter text: The common part of RFC 5321, section 4.1.2: a local part of letters, digits and `.!#$%&'*+/=?^_{|}~-`, and a
    ///   host name, in ASCII; at most 254 bytes. So an address can neither begin a header field nor be an option of a program.
    /// - Throws: `MailError.address`.
    public init(_ text: String) throws(MailError) {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, text.utf8.count <= 254, (1...64).contains(parts[0].utf8.count),
            Self.isDotted(parts[0], Self.isOfLocalPart), Self.isDotted(parts[1], Self.isOfHost), !text.hasPrefix("-"),
            parts[1].split(separator: ".").allSatisfy({
                !$0.hasPrefix("-") && !$0.hasSuffix("-") && $0.utf8.count <= 63
            })
        else { throw .address(text) }
        description = text
    }

    public init(from decoder: any Decoder) throws { try self.init(decoder.singleValueContainer().decode(String.self)) }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }

    /// Whether `text` has words of allowed bytes with single dots between them.
    private static func isDotted(_ text: Substring, _ isAllowed: (UInt8) -> Bool) -> Bool {
        text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { word in
            !word.isEmpty && word.utf8.allSatisfy(isAllowed)
        }
    }

    private static func isOfHost(_ byte: UInt8) -> Bool { byte.isLetterOrDigit || byte == UInt8(ascii: "-") }

    private static func isOfLocalPart(_ byte: UInt8) -> Bool {
        isOfHost(byte) || "!#$%&'*+/=?^_{|}~".utf8.contains(byte)
    }
}

/// A mail that cannot be written.
public enum MailError: Error, Sendable, Hashable, CustomStringConvertible {
    /// This is no address.
    case address(String)
    /// The subject is no line, or too long.
    case subject
    /// There are none, or too many.
    case recipients(Int)
    /// The text is too long.
    case text(bytes: Int)

    public var description: String {
        switch self {
        case .address(let text):
            "'\(text.prefix(100).filter { ($0.asciiValue ?? 0) >= 0x20 })' is no address of a mailbox; write it like anna@example.com."
        case .subject: "The subject of a mail has 1 to 200 characters and no line break or control character."
        case .recipients(let count): "A mail has 1 to 50 recipients; this one has \(count)."
        case .text(let bytes):
            "The text of a mail has \(bytes) bytes; at most \(MailMessage.largestText) are sent, without NUL. Send a link to the rest."
        }
    }
}
