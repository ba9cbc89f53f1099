/// Names of fields that would be in the way of what every feature has already.
enum ReservedNames {
    static func check(_ spec: FeatureSpec) throws(ScaffoldRefusal) {
        guard !spec.fields.isEmpty else {
            throw ScaffoldRefusal(
                "'\(spec.name.upperCamel)' has no field; give it one, such as --fields 'title:string(1..200)'.")
        }
        for field in spec.fields {
            let works = "'\(field.name)Value:\(field.kind)'"
            if taken.contains(field.name) || [spec.name.lowerCamel, spec.plural.lowerCamel].contains(field.name) {
                throw ScaffoldRefusal(
                    "The field '\(field.name)' would be in the way of what every feature has; use another name, such as \(works)."
                )
            }
            if case .choice(let words) = field.kind, let word = words.first(where: takenChoices.contains) {
                throw ScaffoldRefusal(
                    "The choice '\(word)' of '\(field.name)' would be in the way of what every choice has; use another word, "
                        + "such as '\(word)Value'.")
            }
            // JSON's names are read back word by word: `userID` would come back as `userId`.
            let words = field.spelling.words
            let readBack = words.prefix(1) + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }
            guard readBack.joined() == field.name else {
                throw ScaffoldRefusal(
                    "The field '\(field.name)' is '\(field.column)' as JSON, which is read back as '\(readBack.joined())'; "
                        + "use that name.")
            }
        }
    }

    private static let taken: Set<String> = [
        "id", "version", "createdAt", "updatedAt", "syncState", "content", "entityTag", "hash", "hashValue",
        "description", "encode", "self", "init", "noun", "collection", "fields", "table", "migration", "sample",
        "other",
        "least", "flaws", "wireFields", "validated", "clearing", "clear", "options", "refresh", "json", "color",
        "verbose",
        "timeout", "offline", "server", "profile", "help", "configuration", "run", "validate", "added", "edited",
        "console",
    ]

    private static let takenChoices: Set<String> = ["allCases", "fieldKind", "init", "parameterKind", "self"]
}
