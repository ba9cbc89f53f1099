/// Links in the prose of a service: one to a page that stayed behind becomes plain text.
struct Links: Sendable {
    private let paths: Set<String>

    init(_ files: [String: FileContents]) {
        var paths: Set<String> = []
        for path in files.keys {
            var parts = path.split(separator: "/")
            while !parts.isEmpty {
                paths.insert(parts.joined(separator: "/"))
                parts.removeLast()
            }
        }
        self.paths = paths
    }

    /// The text of the page at `path`, with `[words](target)` as `words` where nothing is at `target`.
    func resolved(_ text: String, of path: String) -> String {
        guard text.contains("](") else { return text }
        var result = ""
        var rest = Substring(text)
        while let middle = rest.firstRange(of: "](") {
            let head = rest[..<middle.lowerBound]
            guard let open = Self.opening(of: head), let close = rest[middle.upperBound...].firstIndex(of: ")") else {
                result += rest[..<middle.upperBound]
                rest = rest[middle.upperBound...]
                continue
            }
            let target = rest[middle.upperBound..<close]
            if isThere(target, from: path) {
                result += rest[...close]
            } else {
                result += head[..<open] + head[head.index(after: open)...]
            }
            rest = rest[rest.index(after: close)...]
        }
        return result + rest
    }

    /// The bracket that the end of `text` closes.
    private static func opening(of text: Substring) -> Substring.Index? {
        var depth = 0
        for index in text.indices.reversed() {
            if text[index] == "]" { depth += 1 }
            if text[index] == "[" {
                if depth == 0 { return index }
                depth -= 1
            }
            if text[index] == "\n", text[..<index].last == "\n" { return nil }
        }
        return nil
    }

    private func isThere(_ target: Substring, from path: String) -> Bool {
        if target.contains(":") || target.hasPrefix("#") || target.contains(" ") { return true }
        var parts = path.split(separator: "/").dropLast()
        for part in target.prefix(while: { $0 != "#" }).split(separator: "/") {
            switch part {
            case ".": continue
            case "..": parts = parts.dropLast()
            default: parts.append(part)
            }
        }
        return parts.isEmpty || paths.contains(parts.joined(separator: "/"))
    }
}
