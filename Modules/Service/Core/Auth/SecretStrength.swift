import FoundationEssentials
import StrataSystem

/// An estimate of a secret's entropy, from above, by what an attacker tries first.
///
/// The text is read from left to right. A repetition of an earlier part, a run such as `4567`, a row of the keyboard and
/// a common word of secrets count a few bits each; letters that look like English words count two
/// bits each, as in Shannon's "Prediction and Entropy of Printed English" (1951); any other character counts as much as
/// a random character of its alphabet.
struct SecretStrength: Sendable, Hashable {
    /// The minimum in bits: at 10^12 guesses a second a search takes 10^10 years.
    static let enough = 100

    let bytes: Int
    /// Estimated entropy; never more than the alphabet and the length allow.
    let bits: Int

    var isEnough: Bool { bits >= Self.enough && bytes >= SigningKeys.shortestSecret }

    init(of text: String) {
        bytes = text.utf8.count
        let plain = Array(text.lowercased().utf8)
        let letters = Self.wordLetters(text)
        var total = 0.0
        let one = Self.bitsOfOne(in: text)
        var place = 0
        while place < plain.count {
            var (length, cost) = (1, letters.contains(place) ? 2 : one)
            // A part costs its kind, its place and its length.
            let parts = [
                (Self.repeated(plain, at: place), 3 + log2(Double(place + 1))), (Self.run(plain, at: place), 8),
                (Self.word(plain, at: place), 6),
            ]
            for (partLength, partCost) in parts
            where partLength > 0 && partCost / Double(partLength) < cost / Double(length) {
                (length, cost) = (partLength, partCost)
            }
            total += cost
            place += length
        }
        bits = Int(total)
    }

    /// Bits of one random character of the text's alphabet.
    private static func bitsOfOne(in text: String) -> Double {
        let scalars = text.unicodeScalars
        func has(_ range: ClosedRange<Unicode.Scalar>) -> Bool { scalars.contains { range.contains($0) } }
        let hasOneCase = [text.lowercased(), text.uppercased()].contains(text)
        let isHexadecimal = hasOneCase && scalars.allSatisfy(\.properties.isASCIIHexDigit)
        if isHexadecimal { return has("a"..."f") || has("A"..."F") ? 4 : log2(10) }
        var size = 0.0
        if has("0"..."9") { size += 10 }
        if has("a"..."z") { size += 26 }
        if has("A"..."Z") { size += 26 }
        // Few of the others stand in a secret; base64 has two.
        size += Double(Set(scalars.filter { !$0.properties.isAlphabetic && !("0"..."9").contains($0) }).count)
        return log2(max(2, size))
    }

    /// Length of the longest repetition at `place`, at least four bytes.
    private static func repeated(_ text: [UInt8], at place: Int) -> Int {
        var longest = 0
        for start in 0..<place {
            var length = 0
            while place + length < text.count, text[start + length] == text[place + length] { length += 1 }
            longest = max(longest, length)
        }
        return longest >= 4 ? longest : 0
    }

    /// Length of the run from `place` on, at least four bytes: one character again and again, or up or down the
    /// alphabet, the digits or a row of the keyboard.
    private static func run(_ text: [UInt8], at place: Int) -> Int {
        let rows = ["qwertyuiop", "qwertzuiop", "asdfghjkl", "zxcvbnm", "1234567890"].map { Array($0.utf8) }
        func step(_ index: Int) -> [Int] {
            let (first, second) = (text[index], text[index + 1])
            var steps = [Int(second) - Int(first)]
            for row in rows {
                if let from = row.firstIndex(of: first), let to = row.firstIndex(of: second) { steps.append(to - from) }
            }
            return steps
        }
        var longest = 0
        for wanted in -1...1 {
            var length = 1
            while place + length < text.count, step(place + length - 1).contains(wanted) { length += 1 }
            longest = max(longest, length)
        }
        return longest >= 4 ? longest : 0
    }

    /// Length of the longest common word of secrets at `place`.
    private static func word(_ text: [UInt8], at place: Int) -> Int {
        words.filter { text[place...].starts(with: $0) }.map(\.count).max() ?? 0
    }

    private static let words = [
        "access", "admin", "auth", "bit", "bits", "change", "changeme", "config", "default", "demo", "dev",
        "development",
        "example", "hello", "insecure", "insert", "jwt", "key", "letmein", "local", "long", "master", "me", "my",
        "passphrase",
        "password", "passw0rd", "phrase", "placeholder", "please", "private", "prod", "production", "random", "replace",
        "replaceme", "root", "sample", "secret", "s3cr3t", "secure", "server", "service", "session", "sign",
        "signing", "some", "staging", "string", "super", "test", "testing", "the", "this", "to", "token", "use",
        "user", "very",
        "welcome", "with", "world", "your", "128", "256", "512",
    ].map { Array($0.utf8) }

    /// The places of letters that stand in words: in stretches of small letters, with capitals at the start of words
    /// and single separators, of whose pairs at least three in ten are frequent in English. Of random pairs six in a
    /// hundred are.
    private static func wordLetters(_ text: String) -> Set<Int> {
        let text = Array((text.uppercased() == text ? text.lowercased() : text).utf8)
        func isLetter(_ place: Int) -> Bool {
            guard text.indices.contains(place) else { return false }
            let isFirst = place == 0 || !text[place - 1].isLetter
            return text[place].isSmallLetter || (isFirst && text[place].isLetter)
        }
        var places: Set<Int> = []
        var stretch: [Int] = []
        var (frequent, pairs) = (0, 0)
        for place in 0...text.count {
            if isLetter(place) {
                if let last = stretch.last, last == place - 1 {
                    pairs += 1
                    if frequentPairs.contains([text[last] | 0x20, text[place] | 0x20]) { frequent += 1 }
                }
                stretch.append(place)
            } else if !(place < text.count && " -_.,".utf8.contains(text[place]) && isLetter(place - 1)
                && isLetter(place + 1))
            {
                if pairs >= 12, frequent * 10 >= pairs * 3, let first = stretch.first, let last = stretch.last {
                    places.formUnion(first...last)
                }
                stretch = []
                (frequent, pairs) = (0, 0)
            }
        }
        return places
    }

    /// The forty most frequent pairs of letters in English text.
    private static let frequentPairs: Set<[UInt8]> = Set(
        [
            "th", "he", "in", "er", "an", "re", "on", "at", "en", "nd", "ti", "es", "or", "te", "of", "ed", "is",
            "it", "al",
            "ar", "st", "to", "nt", "ng", "se", "ha", "as", "ou", "io", "le", "ve", "co", "me", "de", "hi", "ri",
            "ro", "ic",
            "ne", "ea",
        ].map { Array($0.utf8) })
}

extension UInt8 {
    fileprivate var isSmallLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) }
    fileprivate var isLetter: Bool { (self | 0x20).isSmallLetter }
}
