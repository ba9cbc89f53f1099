import StrataDomain
import StrataNetworking

/// Which request a stored response answers, by the fields its `Vary` names (RFC 9111, section 4.1).
enum Vary {
    /// - Returns: Lower-case names, each once; `nil` for `*`, which no request matches, and for what is no name.
    static func names(_ fields: FieldList) -> [String]? {
        var names: [String] = []
        for name in fields.elements("Vary").map({ $0.lowercased() }) where !names.contains(name) {
            guard name != "*", name.isToken else { return nil }
            names.append(name)
        }
        return names
    }

    /// The values of `request` that a response with `fields` was selected by, normalised.
    static func selecting(_ fields: FieldList, request: FieldList) -> FieldList {
        (names(fields) ?? []).compactMap { name in
            normalised(name, request).map { StoredResponse.Field(name, $0) }
        }
    }

    static func matches(_ response: StoredResponse, _ request: FieldList) -> Bool {
        guard let names = names(response.fields) else { return false }
        return names.allSatisfy { name in
            let (stored, asked) = (response.selecting.value(name), normalised(name, request))
            return stored == asked || (name == "accept-language" && isPreferred(response.fields, in: asked))
        }
    }

    /// One form for values that mean the same; `nil` when the field is missing.
    static func normalised(_ name: String, _ request: FieldList) -> String? {
        // What the client will add is not in the request yet, and is told by its mark.
        let sent = HeaderFields.isCredential(name) ? request.values(Owner.mark) : []
        let values = request.values(name) + sent
        guard !values.isEmpty else { return nil }
        guard name.equalsIgnoringCase("Accept-Language") else {
            // Lines combine with a comma, and white space around one has no meaning (RFC 9110, section 5.3).
            return values.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }
                .map { String($0).trimmedOWS }.joined(separator: ",")
        }
        return languages(values).map { $0.quality == 1 ? $0.tag : "\($0.tag);q=\($0.quality)" }.joined(separator: ",")
    }

    /// The best language asked for, and no other, is the one the response is written in.
    private static func isPreferred(_ fields: FieldList, in asked: String?) -> Bool {
        let languages = languages([asked ?? ""])
        guard let best = languages.first, best.quality > 0, best.tag != "*",
            languages.count < 2 || languages[1].quality < best.quality
        else { return false }
        return fields.elements("Content-Language").map { $0.lowercased() } == [best.tag]
    }

    /// Best first, equal ones by name: their order has no meaning.
    private static func languages(_ values: [String]) -> [(tag: String, quality: Double)] {
        values.flatMap { $0.split(separator: ",") }.compactMap { element -> (tag: String, quality: Double)? in
            let parts = element.split(separator: ";").map { String($0).trimmedOWS.lowercased() }
            guard let tag = parts.first, !tag.isEmpty else { return nil }
            let quality = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
            return (tag, quality.isFinite ? min(1, max(0, quality)) : 0)
        }
        .sorted { ($1.quality, $0.tag) < ($0.quality, $1.tag) }
    }
}
