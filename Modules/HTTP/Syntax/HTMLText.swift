/// Text from outside as HTML content or attribute value.
public enum HTMLText {
    /// The five characters that mean something in HTML as references; control characters, which HTML forbids, as U+FFFD.
    ///
    /// Works on Unicode scalars: a combining mark after a quotation mark makes one `Character` of both, and does not hide the
    /// quotation mark from a browser.
    public static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            case "\t", "\n", "\r": result.unicodeScalars.append(scalar)
            default:
                let isControl = scalar.properties.generalCategory == .control
                result.unicodeScalars.append(isControl || isOverride(scalar) ? "\u{FFFD}" : scalar)
            }
        }
        return result
    }

    /// Characters that reorder what follows them (UAX #9).
    private static func isOverride(_ scalar: Unicode.Scalar) -> Bool {
        (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
    }
}
