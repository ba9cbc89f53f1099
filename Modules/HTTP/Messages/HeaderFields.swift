/// Header fields in order, repeated names included; names compare without case (RFC 9110, section 5).
public struct HeaderFields: Sendable, Hashable, Codable {
    /// One line of the header.
    public struct Field: Sendable, Hashable, Codable {
        /// The name as it was written; names are compared without case.
        public var name: String
        /// The value as it is sent.
        public var value: String

        /// The field `name` with `value`.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }

        /// Whether a transport may send the field: the name is a token, and the value has no control character but the
        /// tab (RFC 9110, sections 5.1 and 5.5). A line break in a value would begin a new field.
        package var isSendable: Bool { name.isToken && value.utf8.allSatisfy(\.isFieldValueByte) }
    }

    /// All lines in order, repeated ones included.
    public private(set) var fields: [Field] = []

    /// No fields.
    public init() {}

    /// The fields in this order; a repeated name stays repeated.
    public init(_ fields: some Sequence<Field>) { self.fields = Array(fields) }

    /// The first value of `name`; assigning replaces every value, assigning `nil` removes them.
    public subscript(name: String) -> String? {
        get { fields.first { $0.name.equalsIgnoringCase(name) }?.value }
        set {
            guard let place = fields.firstIndex(where: { $0.name.equalsIgnoringCase(name) }) else {
                if let newValue { fields.append(Field(name, newValue)) }
                return
            }
            let others = fields[(place + 1)...].contains { $0.name.equalsIgnoringCase(name) }
            if newValue == nil || others { fields.removeAll { $0.name.equalsIgnoringCase(name) } }
            guard let newValue else { return }
            if others {
                fields.insert(Field(name, newValue), at: place)
            } else {
                fields[place] = Field(name, newValue)
            }
        }
    }

    /// Every value of `name`, in order.
    public func values(_ name: String) -> [String] {
        fields.filter { $0.name.equalsIgnoringCase(name) }.map(\.value)
    }

    /// The elements of the list field `name` over all its values (RFC 9110, section 5.6.1).
    package func elements(_ name: String) -> [String] { FieldList.elements(values(name)) }

    /// Makes room for `count` more fields.
    public mutating func reserveCapacity(adding count: Int) { fields.reserveCapacity(fields.count + count) }

    /// Adds a value beside the existing ones.
    public mutating func add(_ name: String, _ value: String) {
        fields.append(Field(name, value))
    }

    /// Whether there is no field.
    public var isEmpty: Bool { fields.isEmpty }

    /// The fields that `isIncluded` accepts, in order.
    public func filter(_ isIncluded: (Field) throws -> Bool) rethrows -> HeaderFields {
        HeaderFields(try fields.filter(isIncluded))
    }
}

extension HeaderFields: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { Field($0.0, $0.1) }
    }
}

extension HeaderFields: Sequence {
    public func makeIterator() -> IndexingIterator<[Field]> { fields.makeIterator() }
}
