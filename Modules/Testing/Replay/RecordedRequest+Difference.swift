import StrataDomain
import StrataNetworking

extension RecordedRequest {
    /// What differs between a recorded request and one that is sent.
    struct Difference: Sendable {
        /// How far apart it puts the two.
        let weight: Int
        /// `path is '/b' and not '/a'`, without secrets.
        let text: String
    }

    /// The differences of `sent` from this request of a file; none where this one answers it.
    func differences(from sent: RecordedRequest) -> [Difference] {
        var found: [Difference] = []
        if origin != sent.origin {
            found.append(Difference(weight: 20, text: "the origin is '\(sent.origin)' and not '\(origin)'"))
        }
        if !Self.covers(path, sent.path) {
            found.append(Difference(weight: pathWeight(sent), text: "the path is '\(sent.path)' and not '\(path)'"))
        }
        if method != sent.method {
            found.append(Difference(weight: 4, text: "the method is \(sent.method) and not \(method)"))
        }
        found += Self.differences(query, sent.query, "query item")
        if let text = bodyDifference(sent.body) { found.append(Difference(weight: 1, text: text)) }
        return found
    }

    /// Less for a path that differs in one segment, such as an id.
    private func pathWeight(_ sent: RecordedRequest) -> Int {
        let (mine, others) = (path.split(separator: "/"), sent.path.split(separator: "/"))
        guard mine.count == others.count else { return 9 }
        return 5 + min(4, zip(mine, others).count { $0 != $1 })
    }

    private static func differences(_ recorded: [Item], _ sent: [Item], _ noun: String) -> [Difference] {
        var names: [String] = []
        for item in recorded + sent where !names.contains(item.name) { names.append(item.name) }
        return names.compactMap { name in
            let mine = recorded.filter { $0.name == name }
            let others = sent.filter { $0.name == name }
            if mine.count == others.count, zip(mine, others).allSatisfy({ covers($0.value, $1.value) }) { return nil }
            let text =
                if mine.isEmpty {
                    "\(noun) '\(name)' is new"
                } else if others.isEmpty {
                    "\(noun) '\(name)' is missing"
                } else {
                    "\(noun) '\(name)' is \(shown(others)) and not \(shown(mine))"
                }
            return Difference(weight: 1, text: text)
        }
    }

    private static func shown(_ items: [Item]) -> String {
        items.map { "'\($0.value ?? MessageRedaction.urlMask)'" }.joined(separator: ", ")
    }

    // MARK: - Bodies

    private func bodyDifference(_ sent: Body) -> String? {
        switch (body, sent) {
        case (.none, .none): nil
        case (.none, _): "there is a body"
        case (_, .none): "there is no body"
        case (.unknown, _): nil
        case (_, .unknown): "the body is too large to compare"
        case (.json(let mine), .json(let others)):
            Self.difference(mine, others, at: "").map { "the body differs at '\($0)'" }
        case (.items(let mine), .items(let others)):
            Self.differences(mine, others, "form field").first?.text
        case (.text(let mine), .text(let others)): Self.covers(mine, others) ? nil : "the body differs"
        default: "the body is of another kind"
        }
    }

    /// The path of the first member that differs; `nil` where none does.
    private static func difference(_ recorded: JSONValue, _ sent: JSONValue, at path: String) -> String? {
        switch (recorded, sent) {
        case (.object(let mine), .object(let others)):
            for name in Set(mine.keys).union(others.keys).sorted() {
                let inner = path.isEmpty ? name : "\(path).\(name)"
                guard let value = mine[name], let other = others[name] else { return inner }
                if let found = difference(value, other, at: inner) { return found }
            }
            return nil
        case (.array(let mine), .array(let others)):
            for place in 0..<max(mine.count, others.count) {
                let inner = "\(path)[\(place)]"
                guard place < mine.count, place < others.count else { return inner }
                if let found = difference(mine[place], others[place], at: inner) { return found }
            }
            return nil
        case (.string(let mine), .string(let other)):
            return covers(mine, other) ? nil : path.isEmpty ? "body" : path
        default: return recorded == sent ? nil : path.isEmpty ? "body" : path
        }
    }

    // MARK: - Masks

    private static func covers(_ recorded: String?, _ sent: String?) -> Bool {
        guard let recorded, let sent else { return true }
        return covers(recorded, sent)
    }

    /// Whether `sent` is `recorded`, where each mask in `recorded` stands for any text.
    static func covers(_ recorded: String, _ sent: String) -> Bool {
        guard recorded != sent else { return true }
        let pieces = recorded.replacing(Redaction.mask, with: MessageRedaction.urlMask)
            .split(separator: MessageRedaction.urlMask, omittingEmptySubsequences: false)
        guard pieces.count > 1, let first = pieces.first, let last = pieces.last, sent.hasPrefix(first) else {
            return false
        }
        var rest = sent.dropFirst(first.count)
        for piece in pieces.dropFirst().dropLast() where !piece.isEmpty {
            guard let found = rest.firstRange(of: piece) else { return false }
            rest = rest[found.upperBound...]
        }
        return rest.hasSuffix(last)
    }
}
