import FoundationEssentials

/// The explanation in a failure of `text/plain`: `Bad credentials`.
enum PlainTextLine {
    private static let longest = 200

    /// The first line with a text, without control characters, at most 200 characters.
    ///
    /// - Parameter scrub: Takes secrets out, before the text is cut. Default: nothing is taken out.
    /// - Returns: `nil` for another media type, for markup under the wrong name, and without a text.
    static func read(
        _ headers: HeaderFields, _ bytes: Data, _ scrub: (String) -> String = { $0 }
    ) -> String? {
        guard MediaType.essence(headers["Content-Type"] ?? "") == "text/plain",
            let text = text(bytes)
        else { return nil }
        let lines = text.split(whereSeparator: \.isNewline).lazy.map { visible($0).trimmed }
        guard let line = lines.first(where: { !$0.isEmpty }), !line.hasPrefix("<") else { return nil }
        return cut(scrub(line))
    }

    static func cut(_ line: String) -> String { line.count > longest ? "\(line.prefix(longest))…" : line }

    /// - Returns: `nil` for other bytes than UTF-8. The last character of a body that was cut may be half.
    private static func text(_ bytes: Data) -> String? {
        bytes.count < FailedResponse.bodyLimit
            ? String(validating: bytes, as: UTF8.self) : String(decoding: bytes, as: UTF8.self)
    }

    static func visible(_ line: Substring) -> String {
        String(String.UnicodeScalarView(line.unicodeScalars.filter { !isControl($0) }))
    }

    /// Control characters, and those that turn the direction of a text round.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
