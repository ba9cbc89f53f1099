import StrataDomain
import StrataNetworking

/// Whether a stored response answers a request, by the fields of its `Vary` (RFC 9111, section 4.1).
enum Vary {
    /// - Returns: Lower-case names, each once; `nil` for `*`, which no request matches, and for an invalid name.
    static func names(_ fields: HeaderFields) -> [String]? {
        var names: [String] = []
        for name in fields.elements("Vary").map({ $0.lowercased() }) where !names.contains(name) {
            guard name != "*", name.isToken else { return nil }
            names.append(name)
        }
        return names
    }

    /// The values of `request` that selected a response with `fields`, normalised.
    static func selecting(_ fields: HeaderFields, request: HeaderFields) -> HeaderFields {
        HeaderFields(
            (names(fields) ?? []).compactMap { name in
                normalised(name, request).map { HeaderFields.Field(name, $0) }
            })
    }

    static func matches(_ response: StoredResponse, _ request: HeaderFields) -> Bool {
        guard let names = names(response.fields) else { return false }
        return names.allSatisfy { name in
            let (stored, asked) = (response.selecting[name], normalised(name, request))
            return stored == asked || (name == "accept-language" && isPreferred(response.fields, in: asked))
        }
    }

    /// One form for all values with the same meaning; `nil` when the field is missing.
    static func normalised(_ name: String, _ request: HeaderFields) -> String? {
        // A credential that the client will add is not in the request yet; its mark stands for it.
        let sent = HeaderFields.isCredential(name) ? request.values(PartitionKey.mark) : []
        let values = request.values(name) + sent
        guard !values.isEmpty else { return nil }
        guard name.equalsIgnoringCase("Accept-Language") else {
            // Values combine with commas, and white space around a comma has no meaning (RFC 9110, section 5.3).
            return values.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }
                .map(\.trimmed).joined(separator: ",")
        }
        return languages(values).map { $0.quality == 1 ? $0.tag : "\($0.tag);q=\($0.quality)" }.joined(separator: ",")
    }

    /// Whether the response has the preferred language of the request, and no other.
    private static func isPreferred(_ fields: HeaderFields, in asked: String?) -> Bool {
        let languages = languages([asked ?? ""])
        guard let best = languages.first, best.quality > 0, best.tag != "*",
            languages.count < 2 || languages[1].quality < best.quality
        else { return false }
        return fields.elements("Content-Language").map { $0.lowercased() } == [best.tag]
    }

    /// Sorted by quality, the best first, then by name: the order of equal ones has no meaning.
    private static func languages(_ values: [String]) -> [(tag: String, quality: Double)] {
        FieldList.elements(values).compactMap { element -> (tag: String, quality: Double)? in
            let parts = FieldList.elements([element], separator: FieldList.semicolon).map { $0.lowercased() }
            guard let tag = parts.first, !tag.isEmpty else { return nil }
            let quality = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
            return (tag, quality.isFinite ? min(1, max(0, quality)) : 0)
        }
        .sorted { ($1.quality, $0.tag) < ($0.quality, $1.tag) }
    }
}
