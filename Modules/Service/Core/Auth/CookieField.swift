/// The field `Cookie` of a request (RFC 6265, section 5.4).
enum CookieField {
    /// Longest field that is read, in bytes.
    static let longest = 8192

    /// The value of the cookie `name`.
    ///
    /// - Parameter fields: All fields `Cookie` of the request.
    /// - Returns: `nil` without the cookie, and for a request that no browser sends: several fields, the name twice, more
    ///   than `longest` bytes, or a byte that is not printable ASCII.
    static func value(of name: String, in fields: [String]) -> String? {
        guard fields.count == 1, let field = fields.first, field.utf8.count <= longest,
            field.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
        else { return nil }
        let values = field.split(separator: ";").compactMap { pair -> Substring? in
            let pair = pair.hasPrefix(" ") ? pair.dropFirst() : pair
            return pair.hasPrefix(name + "=") ? pair.dropFirst(name.utf8.count + 1) : nil
        }
        return values.count == 1 ? values.first.map { String($0) } : nil
    }
}
