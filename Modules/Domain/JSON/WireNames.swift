/// The spelling of Swift names on the wire.
enum WireNames {
    /// `nextCursor` → `next_cursor`, as `WireJSON` spells body keys.
    static func snakeCase(_ name: String) -> String {
        var result = ""
        for character in name {
            if character.isUppercase, !result.isEmpty { result += "_" }
            result += character.lowercased()
        }
        return result
    }

    /// `ifMatch` → `If-Match`.
    static func headerName(_ name: String) -> String {
        snakeCase(name).split(separator: "_").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined(separator: "-")
    }
}
