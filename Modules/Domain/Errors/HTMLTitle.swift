import FoundationEssentials

/// What a page says of a failure: the text of its `<title>`, such as `502 Bad Gateway` of a proxy. Nothing else of a page is read.
enum HTMLTitle {
    /// The title in one line, without control characters, at most 200 characters.
    ///
    /// - Parameter scrub: Takes secrets out, before the text is cut. Default: nothing is taken out.
    /// - Returns: `nil` for another media type, and for a page whose title is missing, empty or not closed.
    static func read(
        _ headers: HeaderFields, _ bytes: Data, _ scrub: (String) -> String = { $0 }
    ) -> String? {
        let type = MediaType.essence(headers["Content-Type"] ?? "")
        guard type == "text/html" || type == "application/xhtml+xml", let content = content(of: Array(bytes)) else {
            return nil
        }
        let text = scrub(unescaped(String(decoding: content, as: UTF8.self)))
        let words = text.split(whereSeparator: \.isWhitespace).map(PlainTextLine.visible).filter { !$0.isEmpty }
        // Again, because what stood in between may have hidden a secret.
        let line = scrub(words.joined(separator: " "))
        return line.isEmpty ? nil : PlainTextLine.cut(line)
    }

    /// The bytes between the first `<title …>` and the next `</title`.
    private static func content(of page: [UInt8]) -> ArraySlice<UInt8>? {
        guard let start = first("<title", in: page[...]), let end = page[start...].firstIndex(of: UInt8(ascii: ">")),
            let close = first("</title", in: page[(end + 1)...])
        else { return nil }
        return page[(end + 1)..<close]
    }

    /// Where `name`, in lower case, begins as a whole name; case is ignored (HTML, section 13.1.2).
    private static func first(_ name: String, in page: ArraySlice<UInt8>) -> Int? {
        let name = Array(name.utf8)
        guard page.count > name.count else { return nil }
        return (page.startIndex..<page.endIndex - name.count).first { start in
            page[start] == name[0]
                && zip(name, page[start...]).allSatisfy { $0 == ((65...90).contains($1) ? $1 | 0x20 : $1) }
                && [0x09, 0x0A, 0x0C, 0x0D, 0x20, 0x3E].contains(page[start + name.count])
        }
    }

    /// With the character references that titles commonly have; others stay as they are.
    private static func unescaped(_ text: String) -> String {
        // `&amp;` is last, so that `&amp;lt;` is `&lt;`.
        let references = [
            ("&nbsp;", " "), ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&#x27;", "'"),
            ("&amp;", "&"),
        ]
        return references.reduce(text) { $0.replacing($1.0, with: $1.1) }
    }
}
