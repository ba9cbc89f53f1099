/// The media types this project reads and writes, and the syntax of a media type (RFC 9110, section 8.3.1).
public enum MediaType {
    public static let json = "application/json"
    public static let problem = "application/problem+json"
    public static let form = "application/x-www-form-urlencoded"

    /// `type/subtype` in lower case, without parameters and white space.
    public static func essence(_ field: String) -> String {
        if field == json { return json }
        return field.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased()
    }

    /// The essence of a field; `nil` unless it is two tokens with a slash between them, in at most 127 bytes.
    package static func validEssence(_ field: String) -> String? {
        let essence = essence(field)
        let names = essence.split(separator: "/", omittingEmptySubsequences: false)
        guard names.count == 2, essence.utf8.count <= 127, names.allSatisfy(\.isToken) else { return nil }
        return essence
    }

    /// Whether content of this type is JSON, also with a structured suffix (RFC 6839, section 3.1).
    ///
    /// - Parameter field: With or without parameters.
    package static func isJSON(_ field: String) -> Bool {
        let essence = essence(field)
        return essence == json || essence.hasSuffix("+json")
    }
}
