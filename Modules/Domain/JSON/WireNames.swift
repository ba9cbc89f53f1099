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

    /// `next_cursor` → `nextCursor`, as Foundation reads it: underscores at the start and at the end stay.
    static func camelCase(_ key: String) -> String {
        guard let first = key.firstIndex(where: { $0 != "_" }), let last = key.lastIndex(where: { $0 != "_" }) else {
            return key
        }
        let words = key[first...last].split(separator: "_")
        guard words.count > 1 else { return key }
        let joined = words.dropFirst().reduce(words[0].lowercased()) {
            $0 + $1.prefix(1).uppercased() + $1.dropFirst().lowercased()
        }
        return "\(key[..<first])\(joined)\(key[key.index(after: last)...])"
    }

    /// `ifMatch` → `If-Match`. A name that is a field name already, `ETag` or `x-api-key`, stays as it is.
    static func headerName(_ name: String) -> String {
        if name.contains("-") || name.first?.isUppercase == true { return name }
        return snakeCase(name).split(separator: "_").map { $0.prefix(1).uppercased() + $0.dropFirst() }
            .joined(separator: "-")
    }
}
