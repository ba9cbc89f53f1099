/// The plural of an English name.
package enum Plural {
    /// `Incident` is `Incidents`, `Policy` is `Policies`, `StatusCheck` is `StatusChecks`.
    ///
    /// - Returns: `nil` for a word without a plural of its own, such as `News`; `--plural` has to say it then.
    package static func of(_ name: Spelling) -> String? {
        guard let last = name.words.last else { return nil }
        let stem = name.upperCamel.dropLast(last.count)
        let written = String(name.upperCamel.suffix(last.count))
        if uncountable.contains(last) { return nil }
        if let irregular = irregular[last] {
            return "\(stem)\(written.prefix(1))\(String(irregular.dropFirst()))"
        }
        return stem + regular(written)
    }

    private static func regular(_ word: String) -> String {
        let small = word.lowercased()
        if small.hasSuffix("sis") { return word.dropLast(2) + "es" }
        if ["s", "x", "z", "ch", "sh"].contains(where: small.hasSuffix) { return word + "es" }
        if small.hasSuffix("y"), let before = small.dropLast().last, !"aeiou".contains(before) {
            return word.dropLast() + "ies"
        }
        return word + "s"
    }

    private static let uncountable: Set<String> = [
        "news", "series", "species", "equipment", "information", "software", "hardware", "staff", "evidence", "advice",
        "sheep", "fish", "feedback", "progress", "music", "money", "weather", "luggage", "metadata",
    ]

    /// First letters are taken from the word as it is written.
    private static let irregular = [
        "person": "people", "child": "children", "man": "men", "woman": "women", "mouse": "mice", "foot": "feet",
        "tooth": "teeth", "goose": "geese", "index": "indices", "vertex": "vertices", "matrix": "matrices",
        "criterion": "criteria", "leaf": "leaves", "shelf": "shelves", "knife": "knives", "life": "lives",
        "half": "halves", "quiz": "quizzes", "hero": "heroes", "echo": "echoes", "potato": "potatoes",
    ]
}
