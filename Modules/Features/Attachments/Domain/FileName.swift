/// The name of a file without its folder: safe to join to a folder, on this machine and on another.
///
/// 1 to 255 bytes of UTF-8, the most a file system of Linux takes; no `/` and no `\`, no control characters,
/// nothing that turns the direction of text or ends a line, and neither `.` nor `..`. Both sides check the same rules.
package struct FileName: Sendable, Hashable, Encodable {
    package static let bytes = 1...255

    package let text: String

    /// - Returns: `nil` for text that breaks a rule; `fault` says which.
    package init?(_ text: String) {
        guard Self.fault(in: text) == nil else { return nil }
        self.text = text
    }

    /// The nearest legal name: the part behind the last separator, without control characters, cut to 255 bytes.
    ///
    /// For a local path and for the name in a response. A name that has nothing left becomes `attachment`.
    package init(nearest text: String) {
        let last = text.split(whereSeparator: Self.isSeparator).last.map(String.init) ?? ""
        var name = String(String.UnicodeScalarView(last.unicodeScalars.filter { !Self.isControl($0) }))
        while name.utf8.count > Self.bytes.upperBound { name.removeLast() }
        self.text = Self.fault(in: name) == nil ? name : Self.fallback
    }

    /// The broken rule, as the rest of a sentence: `must not contain '/' or '\'`; `nil` for a valid name.
    package static func fault(in text: String) -> String? {
        let count = text.utf8.count
        if !bytes.contains(count) {
            return "must have \(bytes.lowerBound) to \(bytes.upperBound) bytes; "
                + (count == 0 ? "it is empty" : "it has \(count)")
        }
        if text.contains(where: isSeparator) { return "must not contain '/' or '\\'" }
        if text.unicodeScalars.contains(where: isControl) { return "must not contain control characters" }
        return text == "." || text == ".." ? "must not be '.' or '..'" : nil
    }

    /// What follows the last dot, in lower case; `nil` when there is no dot, or only one at the start.
    package var pathExtension: String? {
        guard let dot = text.lastIndex(of: "."), dot != text.startIndex else { return nil }
        let part = text[text.index(after: dot)...]
        return part.isEmpty ? nil : part.lowercased()
    }

    /// The same name with a `_` before a leading dot, so that a download never becomes a hidden configuration file.
    package var visible: FileName { text.hasPrefix(".") ? FileName(nearest: "_" + text) : self }

    private static let fallback = "attachment"

    /// Also with a combining mark behind it: file systems see bytes.
    private static func isSeparator(_ character: Character) -> Bool {
        character.unicodeScalars.contains { $0 == "/" || $0 == "\\" }
    }

    /// C0, DEL and C1 (Unicode general category Cc), line and paragraph separators, and what turns the direction of text
    /// (Unicode property Bidi_Control): it would show `gpj.exe` as `exe.jpg`.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: scalar.properties.generalCategory == .control
        }
    }
}

extension FileName: CustomStringConvertible {
    package var description: String { text }

    package func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        try value.encode(text)
    }
}
