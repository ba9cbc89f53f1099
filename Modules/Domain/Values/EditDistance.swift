/// Suggests a word for a misspelt one, by the number of typing mistakes (optimal string alignment distance).
public enum EditDistance {
    /// The nearest of `words` that is at most two typing mistakes away, or the only one that begins with `word`.
    package static func nearest(to word: String, among words: [String]) -> String? {
        let distances = words.map { (word: $0, distance: between(Array(word.utf8), Array($0.utf8))) }
        // Short words are only two edits away from most others.
        let limit = min(2, word.utf8.count / 2)
        if let best = distances.min(by: { $0.distance < $1.distance }), best.distance <= limit { return best.word }
        let longer = words.filter { !word.isEmpty && $0.hasPrefix(word) }
        return longer.count == 1 ? longer[0] : nil
    }

    /// A question for the end of a sentence about a wrong word: ` Did you mean 'WORD'?` with the nearest of `words`, which is at most
    /// two typing mistakes away or the only one that begins with `word`.
    ///
    /// - Returns: An empty text when none is near.
    public static func question(_ word: String, among words: [String]) -> String {
        nearest(to: word, among: words).map { " Did you mean '\($0)'?" } ?? ""
    }

    /// The number of insertions, deletions, substitutions and transpositions (optimal string alignment).
    package static func between(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var rows = [Array(0...right.count)]
        for (line, letter) in left.enumerated() {
            var row = [line + 1]
            for (column, other) in right.enumerated() {
                var best = min(
                    rows[line][column + 1] + 1, row[column] + 1, rows[line][column] + (letter == other ? 0 : 1))
                if line > 0, column > 0, letter == right[column - 1], left[line - 1] == other {
                    best = min(best, rows[line - 1][column - 1] + 1)
                }
                row.append(best)
            }
            rows.append(row)
        }
        return rows[left.count][right.count]
    }
}
