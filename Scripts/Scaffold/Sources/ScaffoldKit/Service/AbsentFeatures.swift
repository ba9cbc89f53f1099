/// How texts speak of features that a service does not have.
struct AbsentFeatures: Sendable {
    /// `journal` and `journals`, in small letters.
    private let words: Set<String>
    private let lacksJournal: Bool

    init(_ absent: Set<String>) {
        var words: Set<String> = []
        for feature in absent {
            let word = Spelling(feature).spoken
            words.insert(word)
            if word.hasSuffix("s") { words.insert(String(word.dropLast())) }
        }
        self.words = words
        lacksJournal = absent.contains("Journal")
    }

    /// Whether the text is about one of them.
    func occur(in text: String) -> Bool {
        let small = text.lowercased()
        return words.contains(where: small.contains)
    }

    /// Rows of tables go that tell settings of a feature: `| \`SHIFTLOG_ATTACHMENT_BYTES\` | …`.
    func withoutRows(_ text: String) -> String {
        let marks = words.map { "_\($0.uppercased())_" }
        guard marks.contains(where: text.contains) else { return text }
        return text.split(separator: "\n", omittingEmptySubsequences: false)
            .filter { line in !(line.hasPrefix("| ") && marks.contains(where: line.contains)) }.joined(separator: "\n")
    }

    /// The offline store is called after the journal where there is one.
    func replacedByOthers(_ text: String) -> String {
        guard lacksJournal, text.contains("journal") else { return text }
        return Self.others.reduce(text) { $0.replacing($1.0, with: $1.1) }
    }

    private static let others = [
        ("/journal/\\(settings.profile)", "/offline/\\(settings.profile)"), ("\"journal    ", "\"offline    "),
        ("\"journal\",", "\"offline\","),
    ]
}
