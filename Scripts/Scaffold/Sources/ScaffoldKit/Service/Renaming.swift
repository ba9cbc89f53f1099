/// Turns the template's identifiers into those of a service.
///
/// There is one word to replace, in three ways of writing, and what surrounds it tells what it is there: a variable of the
/// environment, a module, a method, a type, a program.
struct Renaming: Sendable {
    let name: Spelling

    /// The same path in the service: `Apps/CLI/ShiftlogServer.swift` is `Apps/CLI/OrdersServer.swift`.
    func path(_ path: String) -> String {
        path.split(separator: "/", omittingEmptySubsequences: false).map { part in
            // The type with the commands has another name than the product, and so has its file.
            part == "\(TemplateName.camel).swift" ? "\(program).swift" : text(String(part), in: "")
        }.joined(separator: "/")
    }

    func text(_ text: String, in path: String) -> String {
        let bytes = Array(text.utf8)
        let word = Array(TemplateName.lower.utf8)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            let end = index + word.count
            guard end <= bytes.count, bytes[index] | 0x20 == word[0],
                zip(bytes[index..<end], word).allSatisfy({ $0 | 0x20 == $1 })
            else {
                result.append(bytes[index])
                index += 1
                continue
            }
            let place = Place(before: bytes[max(0, index - 5)..<index], after: bytes[end...].prefix(2), path: path)
            result += replacement(for: Array(bytes[index..<end]), at: place).utf8
            index = end
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// What stands around an occurrence.
    private struct Place {
        let before: ArraySlice<UInt8>
        let after: ArraySlice<UInt8>
        let path: String

        var next: UInt8 { after.first ?? 0x0A }
        var isSwift: Bool { path.hasSuffix(".swift") }
        /// In a source of an app, or in quotes of code in its README.
        var isInApp: Bool {
            path.hasPrefix("Apps/")
                && (isSwift || (before.last == UInt8(ascii: "`") && next == UInt8(ascii: "`")))
        }
        /// Declared or called: `func shiftlog(`, `def shiftlog(`, `.shiftlog(`.
        var isMethod: Bool {
            let left = String(decoding: before, as: UTF8.self)
            return next == UInt8(ascii: "(")
                && (left.hasSuffix("func ") || left.hasSuffix("def ") || left.hasSuffix("."))
        }
        var isWholeWord: Bool { !Self.isLetter(next) && !(before.last.map(Self.isLetter) ?? false) }

        private static func isLetter(_ byte: UInt8) -> Bool {
            (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x5F
        }
    }

    private func replacement(for found: [UInt8], at place: Place) -> String {
        switch String(decoding: found, as: UTF8.self) {
        case TemplateName.upper: name.snake.uppercased()
        case TemplateName.camel: place.isInApp && place.isWholeWord ? program : name.upperCamel
        default:
            if place.next == UInt8(ascii: "_") {
                name.snake
            } else if place.isMethod {
                name.lowerCamel
            } else {
                name.kebab
            }
        }
    }

    /// The type with the commands; a feature `Order` would have a type `Orders` of its own.
    private var program: String { "\(name.upperCamel)Program" }
}
