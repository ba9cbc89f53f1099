/// Header fields in the order they were added; names compare without case, repeated names are kept (RFC 9110, section 5).
public struct HeaderFields: Sendable, Hashable {
    public struct Field: Sendable, Hashable {
        public var name: String
        public var value: String
    }

    public private(set) var fields: [Field] = []

    public init() {}

    /// The first value of `name`; assigning replaces every value, assigning `nil` removes them.
    public subscript(name: String) -> String? {
        get { fields.first { $0.name.equalsIgnoringCase(name) }?.value }
        set {
            guard let place = fields.firstIndex(where: { $0.name.equalsIgnoringCase(name) }) else {
                if let newValue { fields.append(Field(name: name, value: newValue)) }
                return
            }
            let others = fields[(place + 1)...].contains { $0.name.equalsIgnoringCase(name) }
            if newValue == nil || others { fields.removeAll { $0.name.equalsIgnoringCase(name) } }
            guard let newValue else { return }
            if others {
                fields.insert(Field(name: name, value: newValue), at: place)
            } else {
                fields[place] = Field(name: name, value: newValue)
            }
        }
    }

    /// Every value of `name`, in order.
    public func values(_ name: String) -> [String] {
        fields.filter { $0.name.equalsIgnoringCase(name) }.map(\.value)
    }

    /// Makes room for `count` fields more, so that adding them moves nothing.
    public mutating func reserveCapacity(adding count: Int) { fields.reserveCapacity(fields.count + count) }

    /// Adds a value beside those already there.
    public mutating func add(_ name: String, _ value: String) {
        fields.append(Field(name: name, value: value))
    }
}

extension HeaderFields: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { Field(name: $0.0, value: $0.1) }
    }
}

extension HeaderFields: Sequence {
    public func makeIterator() -> IndexingIterator<[Field]> { fields.makeIterator() }
}

extension String {
    /// Equality of field names, which are ASCII tokens (RFC 9110, section 5.1).
    package func equalsIgnoringCase(_ other: String) -> Bool {
        // Most names differ in length, and most others are spelled alike.
        utf8.count == other.utf8.count
            && (self == other
                || zip(utf8, other.utf8).allSatisfy { $0 == $1 || $0.asciiLowercased == $1.asciiLowercased })
    }
}

extension UInt8 {
    var asciiLowercased: UInt8 { (65...90).contains(self) ? self + 32 : self }
}
