/// The media types this project reads and writes, and the syntax of a media type (RFC 9110, section 8.3.1).
public enum MediaType {
    /// JSON (RFC 8259).
    public static let json = "application/json"
    /// A problem document (RFC 9457).
    public static let problem = "application/problem+json"
    /// Pairs of a form, as browsers send them.
    public static let form = "application/x-www-form-urlencoded"

    /// `type/subtype` in lower case, without parameters and white space.
    public static func essence(_ field: String) -> String {
        if field == json { return json }
        return field.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased()
    }

    /// `type/subtype` as the field has it, for a sentence: in lower case a secret that a server echoes would not be found there.
    package static func written(_ field: String) -> String {
        String(field.prefix { $0 != ";" }.drop { $0 == " " })
    }

    /// The essence of a field; `nil` unless it is two tokens with a slash between them, in at most 127 bytes.
    public static func validEssence(_ field: String) -> String? {
        let essence = essence(field)
        let names = essence.split(separator: "/", omittingEmptySubsequences: false)
        guard names.count == 2, essence.utf8.count <= 127, names.allSatisfy(\.isToken) else { return nil }
        return essence
    }

    /// Whether `text` may separate the parts of a multipart content (RFC 2046, section 5.1.1): 1 to 70 letters, digits, spaces
    /// or `'()+_,-./:=?`, without a space at the end.
    package static func isBoundary(_ text: String) -> Bool {
        (1...70).contains(text.utf8.count) && text.utf8.last != UInt8(ascii: " ")
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"):
                    true
                default: "'()+_,-./:=? ".utf8.contains(byte)
                }
            }
    }

    /// Whether content of this type is JSON, also with a structured suffix (RFC 6839, section 3.1).
    ///
    /// - Parameter field: With or without parameters.
    package static func isJSON(_ field: String) -> Bool {
        let essence = essence(field)
        return essence == json || essence.hasSuffix("+json")
    }
}
