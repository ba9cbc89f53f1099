/// One name in every way the code writes it: `IncidentReport` is `incidentReport`, `incident_report`, `incident-report`
/// and "incident report".
package struct Spelling: Sendable, Hashable {
    /// `IncidentReport`: types, modules, folders.
    package let upperCamel: String
    /// The words in small letters: `["incident", "report"]`.
    package let words: [String]

    /// - Parameter upperCamel: ASCII letters and digits, a capital first. Capitals in a row are one word: `HTTPCheck`
    ///   is "http check".
    package init(_ upperCamel: String) {
        self.upperCamel = upperCamel
        words = Self.words(of: upperCamel)
    }

    /// `incidentReport`: variables.
    package var lowerCamel: String {
        let first = words.first ?? ""
        return first + upperCamel.dropFirst(first.count)
    }
    /// `incident_report`: tables, columns.
    package var snake: String { words.joined(separator: "_") }
    /// `incident-report`: routes, commands, files of documentation.
    package var kebab: String { words.joined(separator: "-") }
    /// `incident report`: inside a sentence.
    package var spoken: String { words.joined(separator: " ") }
    /// `Incident report`: at the start of a sentence.
    package var title: String { spoken.prefix(1).uppercased() + spoken.dropFirst() }

    private static func words(of name: String) -> [String] {
        let letters = Array(name)
        var words: [String] = []
        var word = ""
        for (index, letter) in letters.enumerated() {
            let startsAnother =
                letter.isUppercase && !word.isEmpty
                && (!letters[index - 1].isUppercase || (index + 1 < letters.count && letters[index + 1].isLowercase))
            if startsAnother {
                words.append(word)
                word = ""
            }
            word += letter.lowercased()
        }
        return word.isEmpty ? words : words + [word]
    }
}
