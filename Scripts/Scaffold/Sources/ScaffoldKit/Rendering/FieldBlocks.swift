/// A text taken apart into lines about single fields and lines about none.
///
/// A chunk is a run of lines that name one field; a block is a run of chunks. Nothing marks them: the exemplar's fields
/// have names that stand for nothing else.
struct FieldBlocks {
    enum Part: Equatable {
        case plain(Range<Int>)
        case block([Chunk])
    }

    struct Chunk: Equatable {
        let field: Field
        let lines: Range<Int>
    }

    let parts: [Part]

    /// - Throws: A refusal for a line that names two fields, which cannot be copied for one.
    init(_ lines: [String], of file: RelativePath) throws(ScaffoldRefusal) {
        var parts: [Part] = []
        var chunks: [Chunk] = []
        var plain = 0..<0
        func flushPlain() { if !plain.isEmpty { parts.append(.plain(plain)) } }
        func flushBlock() {
            if !chunks.isEmpty { parts.append(.block(chunks)) }
            chunks = []
        }
        for (index, line) in lines.enumerated() {
            let named = FieldNames.named(in: line)
            guard named.count <= 1 else {
                throw ScaffoldRefusal(
                    "'\(file)', line \(index + 1), names the fields '\(named[0].name)' and '\(named[1].name)'; "
                        + "give each a line of its own, so that either can be copied without the other.")
            }
            guard let field = named.first else {
                flushBlock()
                plain = plain.isEmpty ? index..<(index + 1) : plain.lowerBound..<(index + 1)
                continue
            }
            flushPlain()
            plain = 0..<0
            if let last = chunks.last, last.field == field {
                chunks[chunks.count - 1] = Chunk(field: field, lines: last.lines.lowerBound..<(index + 1))
            } else {
                chunks.append(Chunk(field: field, lines: index..<(index + 1)))
            }
        }
        flushPlain()
        flushBlock()
        self.parts = parts
    }

    /// Which chunk is copied for which field of `spec`, in the order of the spec.
    ///
    /// A block about marked fields alone is about the mark: it has a chunk for each field that has it.
    static func choices(of chunks: [Chunk], for spec: FeatureSpec) -> [(Chunk, Field)] {
        let modelled = chunks.map(\.field)
        let fields: [Field]
        if modelled.allSatisfy(\.isUnique) {
            fields = spec.fields.filter(\.isUnique)
        } else if modelled.allSatisfy(\.isRedacted) {
            fields = spec.fields.filter(\.isRedacted)
        } else {
            return spec.fields.flatMap { field -> [(Chunk, Field)] in
                guard let model = Exemplar.model(of: field, among: modelled) else { return [] }
                return chunks.filter { $0.field == model }.map { ($0, field) }
            }
        }
        return fields.flatMap { field in chunks.prefix(1).map { ($0, field) } }
    }
}

/// The ways a field of the exemplar is written, and what they become.
enum FieldNames {
    private static let forms: [(field: Field, forms: [[UInt8]])] = Exemplar.fields.map { field in
        let name = field.spelling
        let forms = [name.lowerCamel, name.upperCamel, name.upperCamel + "ID", name.snake, name.kebab, name.title]
        return (field, forms.map { Array($0.utf8) })
    }

    /// The fields that a line names.
    static func named(in line: String) -> [Field] {
        let text = Array(line.utf8)
        guard text.contains(where: \.isOfWord) else { return [] }
        let starts = text.indices.filter { text[$0].isOfWord && ($0 == 0 || !text[$0 - 1].isOfWord) }
        return forms.filter { _, forms in
            forms.contains { form in starts.contains { text.isWord(form, at: $0) } }
        }.map(\.field)
    }

    static func pairs(from model: Field, to field: Field) -> [(String, String)] {
        let (old, new) = (model.spelling, field.spelling)
        return [
            (old.upperCamel + "ID", new.upperCamel + "ID"), (old.lowerCamel, SwiftName.escaped(field.name)),
            (old.upperCamel, SwiftName.nestedType(new.upperCamel)), (old.snake, new.snake), (old.kebab, new.kebab),
            (old.title, new.title),
        ]
    }
}

extension String {
    /// Whether `word` stands here, not as a part of a longer one.
    func hasWord(_ word: String) -> Bool {
        let (text, word) = (Array(utf8), Array(word.utf8))
        return text.indices.contains { ($0 == 0 || !text[$0 - 1].isOfWord) && text.isWord(word, at: $0) }
    }
}

extension [UInt8] {
    /// Whether `word` begins at `start` and ends where a word ends.
    fileprivate func isWord(_ word: [UInt8], at start: Int) -> Bool {
        let end = start + word.count
        guard self[start] == word.first, end <= count, end == count || !self[end].isOfWord else { return false }
        return self[start..<end].elementsEqual(word)
    }
}

extension UInt8 {
    /// A letter, a digit or `_`.
    var isOfWord: Bool { isSmall || isCapital || isDigit || self == 0x5F }
    var isSmall: Bool { (0x61...0x7A).contains(self) }
    var isCapital: Bool { (0x41...0x5A).contains(self) }
    var isDigit: Bool { (0x30...0x39).contains(self) }
}
