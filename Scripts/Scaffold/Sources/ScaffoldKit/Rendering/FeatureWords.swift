/// Turns lines about specimens into lines about what a feature is called, each word as the place wants it: a type, a
/// variable, a table, a command, or a word in a sentence.
///
/// One pass from left to right: what was written is not looked at again, so that no name can be mistaken for another.
struct FeatureWords {
    private let name: Spelling
    private let plural: Spelling
    private let isProse: Bool
    private var isInLongString = false

    /// - Parameter isProse: For Markdown; else Swift.
    init(_ spec: FeatureSpec, isProse: Bool) {
        name = spec.name
        plural = spec.plural
        self.isProse = isProse
    }

    /// Where a word stands.
    private enum Place {
        case code, comment, string
        /// Between backticks, in a comment the code.
        case ticks
    }

    /// - Parameter pairs: What else is replaced where it stands as a word of its own; the longest that fits counts.
    mutating func written(_ line: String, _ pairs: [(String, String)] = []) -> String {
        let text = Array(line.utf8)
        let pairs = pairs.map { (Array($0.0.utf8), Array($0.1.utf8)) }.sorted { $0.0.count > $1.0.count }
        var out: [UInt8] = []
        var place: Place = isProse ? .comment : isInLongString ? .string : .code
        /// Places to come back to at the end of an interpolation or of backticks, with the open parentheses.
        var outer: [(place: Place, depth: Int)] = []
        var index = 0
        while index < text.count {
            let rest = text[index...]
            if let (old, new) = pairs.first(where: {
                rest.starts(with: $0.0) && Self.standsAlone($0.0, in: text, at: index)
            }) {
                out += new
                index += old.count
                continue
            }
            if let (word, count) = feature(text, index, place, out) {
                if place != .code, word.isSmallWord { Self.correctArticle(&out, before: word) }
                out += Array(word.text.utf8)
                index += count
                continue
            }
            let byte = text[index]
            switch (place, byte) {
            case (.code, _) where rest.starts(with: Self.quotes):
                isInLongString = true
                place = .string
                out += Self.quotes.dropLast()
                index += 2
            case (.string, _) where isInLongString && rest.starts(with: Self.quotes):
                isInLongString = false
                place = .code
                out += Self.quotes.dropLast()
                index += 2
            case (.code, 0x22): place = .string
            case (.string, 0x22) where !isInLongString: place = .code
            case (.code, 0x2F) where rest.starts(with: [0x2F, 0x2F]): place = .comment
            case (.string, 0x5C) where rest.starts(with: [0x5C, 0x28]):
                outer.append((.string, 0))
                place = .code
                out.append(byte)
                index += 1
            case (.string, 0x5C):
                out.append(byte)
                index += 1
            case (.code, 0x28):
                if !outer.isEmpty { outer[outer.count - 1].depth += 1 }
            case (.code, 0x29):
                if let last = outer.last {
                    if last.depth == 0 { place = outer.removeLast().place } else { outer[outer.count - 1].depth -= 1 }
                }
            case (.code, 0x60), (.comment, 0x60):
                outer.append((place, 0))
                place = .ticks
            case (.ticks, 0x60): place = outer.popLast()?.place ?? .code
            default: break
            }
            if index < text.count { out.append(text[index]) }
            index += 1
        }
        return String(decoding: out, as: UTF8.self)
    }

    // MARK: Words

    private struct Word {
        let text: String
        /// In small letters inside a sentence, where an article may stand before it.
        let isSmallWord: Bool
    }

    /// The feature's word for the one that stands at `index`, and how many bytes it takes the place of.
    private func feature(_ text: [UInt8], _ index: Int, _ place: Place, _ out: [UInt8]) -> (Word, Int)? {
        let isCapital = text[index] == 0x53
        guard isCapital || text[index] == 0x73, text[index...].dropFirst().starts(with: Self.stem) else { return nil }
        var end = index + 1 + Self.stem.count
        let isPlural = end < text.count && text[end] == 0x73
        if isPlural { end += 1 }
        let before = index > 0 ? text[index - 1] : 0x20
        let after = end < text.count ? text[end] : 0x20
        guard !after.isSmall, !after.isDigit, after != 0x5F else { return nil }
        let spelling = isPlural ? plural : name
        let count = end - index
        let isAlone = !before.isOfWord && !after.isOfWord
        let isSentence = isAlone && (place == .comment || place == .string || (place == .ticks && isName(text)))
        if isCapital {
            return (Word(text: isSentence ? spelling.title : spelling.upperCamel, isSmallWord: false), count)
        }
        guard !before.isOfWord else { return nil }
        switch place {
        case .code: return (Word(text: SwiftName.escaped(spelling.lowerCamel), isSmallWord: false), count)
        case _ where after.isOfWord: return (Word(text: spelling.lowerCamel, isSmallWord: false), count)
        case .comment where isProse && Self.isVerb(text[end...]):
            return (Word(text: spelling.kebab, isSmallWord: false), count)
        case .comment: return (Word(text: spelling.spoken, isSmallWord: true), count)
        case .ticks where isName(text): return (Word(text: spelling.spoken, isSmallWord: true), count)
        case .ticks: return (Word(text: spelling.kebab, isSmallWord: false), count)
        case .string: return (quoted(spelling, text, index, end), count)
        }
    }

    /// A word in a string: a path, a command, a table, or part of a sentence.
    private func quoted(_ spelling: Spelling, _ text: [UInt8], _ start: Int, _ end: Int) -> Word {
        let (before, after) = (text[..<start], text[end...])
        let isWhole = before.last == 0x22 && after.first == 0x22
        let line = String(decoding: text, as: UTF8.self)
        let isTable = line.contains("TABLE ") || after.first == 0x2D || isWhole && line.contains("collection")
        if isTable { return Word(text: spelling.snake, isSmallWord: false) }
        let isCommand =
            isWhole && spelling == plural || Self.ends(before, "/v1/") || line.contains(" command: \"")
            || Self.isVerb(after)
        return isCommand
            ? Word(text: spelling.kebab, isSmallWord: false) : Word(text: spelling.spoken, isSmallWord: true)
    }

    /// Whether backticks on this line hold the name of a test rather than code.
    private func isName(_ text: [UInt8]) -> Bool {
        let line = String(decoding: text, as: UTF8.self)
        return line.contains("func `") || line.contains("struct `")
    }

    /// Whether a command's verb follows: ` list`.
    private static func isVerb(_ after: ArraySlice<UInt8>) -> Bool {
        ["list", "show", "add", "edit", "rm"].contains { verb in
            after.starts(with: Array(" \(verb)".utf8)) && after.dropFirst(verb.utf8.count + 1).first?.isOfWord != true
        }
    }

    private static let stem = Array("pecimen".utf8)
    private static let quotes: [UInt8] = [0x22, 0x22, 0x22]

    private static func ends(_ text: ArraySlice<UInt8>, _ end: String) -> Bool {
        text.suffix(end.utf8.count).elementsEqual(end.utf8)
    }

    /// Letters and digits at an end of `word` have none beside them; other signs stand anywhere.
    private static func standsAlone(_ word: [UInt8], in text: [UInt8], at start: Int) -> Bool {
        let end = start + word.count
        if let first = word.first, first.isOfWord, start > 0,
            text[start - 1].isOfWord || text[start - 1] == 0x2E && first.isDigit
        {
            return false
        }
        if let last = word.last, last.isOfWord, end < text.count, text[end].isOfWord { return false }
        return true
    }

    /// `a` becomes `an` before a vowel that is heard as one.
    private static func correctArticle(_ out: inout [UInt8], before word: Word) {
        guard out.count >= 2, out[out.count - 1] == 0x20, out[out.count - 2] | 0x20 == 0x61 else { return }
        if out.count >= 3, out[out.count - 3].isOfWord { return }
        let consonants = ["eu", "one", "uni", "use", "usa", "ute", "uk"]
        let vowels = ["hour", "honest", "honour", "honor", "heir"]
        let isVowel =
            "aeiou".contains(word.text.first ?? " ") && !consonants.contains { word.text.hasPrefix($0) }
            || vowels.contains { word.text.hasPrefix($0) }
        if isVowel { out.insert(0x6E, at: out.count - 1) }
    }
}
