import FoundationEssentials
import StrataHTTP

/// A mail of plain text.
public struct MailMessage: Sendable, Hashable, Codable {
    /// The sender.
    public let from: MailAddress
    /// The recipients.
    public let to: [MailAddress]
    /// One line.
    public let subject: String
    /// Plain text.
    public let text: String

    static let largestText = 32 << 10

    /// - Parameters:
    ///   - to: 1 to 50.
    ///   - subject: 1 to 200 characters in one line: a line break would begin another header field.
    ///   - text: At most 32 KiB.
    /// - Throws: `MailError`.
    public init(from: MailAddress, to: [MailAddress], subject: String, text: String) throws(MailError) {
        guard (1...50).contains(to.count) else { throw .recipients(to.count) }
        guard (1...200).contains(subject.unicodeScalars.count), !subject.unicodeScalars.contains(where: Self.endsLine)
        else {
            throw .subject
        }
        guard text.utf8.count <= Self.largestText, !text.utf8.contains(0) else { throw .text(bytes: text.utf8.count) }
        (self.from, self.to, self.subject, self.text) = (from, to, subject, text)
    }

    private enum CodingKeys: CodingKey { case from, to, subject, text }

    /// A stored mail is checked like a new one.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        try self.init(
            from: values.decode(MailAddress.self, forKey: .from), to: values.decode([MailAddress].self, forKey: .to),
            subject: values.decode(String.self, forKey: .subject), text: values.decode(String.self, forKey: .text))
    }

    private static func endsLine(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }

    /// The message with its header fields (RFC 5322), lines ended by LF, in ASCII.
    ///
    /// - Parameter id: Unique; the same for each attempt, so that a mail which comes twice can be recognised.
    func bytes(id: String, at now: Date) -> Data {
        let fields = [
            ("From", "\(from)"), ("To", to.map(\.description).joined(separator: ",\n ")),
            ("Subject", Self.encoded(subject)),
            ("Date", HTTPDate.string(from: now).replacing("GMT", with: "+0000")),
            ("Message-ID", "<\(id)@\(from.domain)>"), ("Auto-Submitted", "auto-generated"), ("MIME-Version", "1.0"),
            ("Content-Type", "text/plain; charset=utf-8"), ("Content-Transfer-Encoding", "base64"),
        ]
        let head = fields.map { "\($0.0): \($0.1)\n" }.joined()
        let body = Data(text.replacing("\r\n", with: "\n").replacing("\n", with: "\r\n").utf8).base64EncodedString()
        return Data("\(head)\n\(Self.lines(body))".utf8)
    }

    /// In base64, no line is too long and none begins with a dot.
    private static func lines(_ base64: String) -> String {
        var (rest, lines) = (base64[...], "")
        while !rest.isEmpty {
            lines += "\(rest.prefix(76))\n"
            rest = rest.dropFirst(76)
        }
        return lines
    }

    /// A subject as it is, or in encoded words of at most 75 characters (RFC 2047, section 2).
    private static func encoded(_ text: String) -> String {
        // "=?" would be read as an encoded word.
        guard !text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) || text.contains("=?") || text.utf8.count > 70
        else {
            return text
        }
        var (words, word) = ([String](), "")
        for scalar in text.unicodeScalars {
            if word.utf8.count + scalar.utf8.count > 45 {
                words.append(word)
                word = ""
            }
            word.unicodeScalars.append(scalar)
        }
        return (words + [word]).map { "=?utf-8?B?\(Data($0.utf8).base64EncodedString())?=" }.joined(separator: "\n ")
    }
}
