/// A value that a field can have several of: a text, a number or a choice.
public protocol FieldListElement: FieldValue {
    /// Several values, for help and errors: `whole numbers`.
    static var fieldListText: String { get }
    /// A valid list for tests and documents. Default: two samples.
    static func fieldListSample(_ number: Int) -> [Self]
}

extension FieldListElement {
    public static func fieldListSample(_ number: Int) -> [Self] { [fieldSample(number), fieldSample(number + 1)] }
}

extension String: FieldListElement {
    public static var fieldListText: String { "words" }
    public static func fieldListSample(_ number: Int) -> [String] { ["sample", "word-\(number)"] }
}

extension Int: FieldListElement { public static var fieldListText: String { "whole numbers" } }

extension Double: FieldListElement { public static var fieldListText: String { "numbers" } }

/// A list, such as tags. A filter of it finds the entities that have one element.
extension Array: FieldValue where Element: FieldListElement {
    public static var fieldKind: FieldKind {
        switch Element.fieldKind {
        case .integer: .integers
        case .number: .numbers
        default: .words
        }
    }
    public var fieldValue: JSONValue { .array(map(\.fieldValue)) }
    public init?(fieldValue value: JSONValue) {
        guard case .array(let values) = value else { return nil }
        self.init()
        for value in values {
            guard let element = Element(fieldValue: value) else { return nil }
            append(element)
        }
    }
    public static var fieldText: String { "\(Element.fieldListText) with a space between them" }
    public static var fieldItemText: String { Element.fieldText }
    public static var fieldChoices: [String]? { Element.fieldChoices }
    public static func fieldItem(of text: String) -> JSONValue? { Element.fieldValue(of: text) }
    public static func fieldValue(of text: String) -> JSONValue? {
        let words = text.split(separator: " ").map { Element.fieldValue(of: String($0)) }
        return words.contains(nil) ? nil : .array(words.compactMap(\.self))
    }
    public static func fieldSample(_ number: Int) -> [Element] { Element.fieldListSample(number) }
}

extension FieldRule {
    /// A list with a number of elements, each with its own rule. An error of one names it: `tags.0`.
    ///
    /// - Parameters:
    ///   - rule: Default: every value of the type.
    ///   - count: Default: at most 100.
    public static func list<Element: FieldListElement>(
        of rule: FieldRule<Element> = .any, _ count: ClosedRange<Int> = 0...100
    ) -> FieldRule where Value == [Element] {
        let low = count.lowerBound > 0 ? "\(count.lowerBound) to " : "at most "
        var list = FieldRule(
            "\(low)\(count.upperBound) values, each \(rule.text)",
            flaw: count.upperBound > 1000
                ? nil : Array(repeating: rule.sample("item", 1), count: count.upperBound + 1),
            schema: schema(of: rule, count)
        ) { field, number in
            let length = Swift.min(Swift.max(2, count.lowerBound), count.upperBound)
            return (0..<length).map { rule.sample(field, number + $0) }
        } check: { field, items, check in
            if !count.contains(items.count) {
                return check.refuse(field, "must have \(low)\(count.upperBound) values; there are \(items.count)")
            }
            for (index, item) in items.enumerated() { rule.check("\(field).\(index)", item, &check) }
        }
        list.checkItem = { field, items, check in for item in items { rule.check(field, item, &check) } }
        return list
    }

    private static func schema<Element: FieldListElement>(
        of rule: FieldRule<Element>, _ count: ClosedRange<Int>
    ) -> JSONSchema {
        let bounds = ["minItems": JSONValue.integer(count.lowerBound), "maxItems": .integer(count.upperBound)]
        return .array(of: Element.fieldSchema.merging(rule.schema())).merging(JSONSchema(bounds))
    }
}

/// A list in a column of text: each element with a space before and after it, so that a search for that part finds whole elements.
///
/// In a text a space is tab and `s`, a tab is tab and `t`, and an empty text is tab and `e`.
package enum ListText {
    /// - Returns: `nil` for an element of another type.
    package static func stored(_ items: [JSONValue], _ kind: FieldKind) -> String? {
        var text = " "
        for item in items {
            guard let word = word(item, kind) else { return nil }
            text += word + " "
        }
        return text
    }

    /// The part of a stored list that has this element.
    ///
    /// - Returns: `nil` for an element of another type.
    package static func part(_ item: JSONValue, _ kind: FieldKind) -> String? { word(item, kind).map { " \($0) " } }

    /// The elements of a stored list.
    ///
    /// - Returns: `nil` for a text with an element of another type.
    package static func items(_ text: String, _ kind: FieldKind) -> [JSONValue]? {
        // Bytes: a combining mark at the beginning of an element makes one character with the space.
        let items = text.utf8.split(separator: 0x20).map { word -> JSONValue? in
            switch kind {
            case .integers: Int(String(decoding: word, as: UTF8.self)).map { .integer($0) }
            case .numbers: Double(String(decoding: word, as: UTF8.self)).map { .number($0) }
            default: .string(unescaped(word))
            }
        }
        return items.contains(nil) ? nil : items.compactMap(\.self)
    }

    private static func word(_ item: JSONValue, _ kind: FieldKind) -> String? {
        switch (kind, item) {
        case (.words, .string(let text)): escaped(text)
        case (.integers, .integer(let number)): "\(number)"
        case (.numbers, .integer(let number)): "\(Double(number))"
        // Minus zero is equal to zero.
        case (.numbers, .number(let number)): number == 0 ? "0.0" : "\(number)"
        default: nil
        }
    }

    private static func escaped(_ text: String) -> String {
        guard !text.isEmpty else { return "\te" }
        guard text.utf8.contains(where: { $0 == 0x20 || $0 == 0x09 }) else { return text }
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case 0x20: bytes += [0x09, UInt8(ascii: "s")]
            case 0x09: bytes += [0x09, UInt8(ascii: "t")]
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func unescaped(_ word: Substring.UTF8View) -> String {
        guard word.contains(0x09) else { return String(decoding: word, as: UTF8.self) }
        var (bytes, isEscape): ([UInt8], Bool) = ([], false)
        for byte in word {
            switch (isEscape, byte) {
            case (false, 0x09): isEscape = true
            case (false, _): bytes.append(byte)
            case (true, _):
                isEscape = false
                if byte == UInt8(ascii: "s") { bytes.append(0x20) }
                if byte == UInt8(ascii: "t") { bytes.append(0x09) }
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
