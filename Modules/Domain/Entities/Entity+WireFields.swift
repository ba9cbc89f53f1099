import FoundationEssentials

extension Entity {
    /// The entity of these fields, by the names of `fields`.
    ///
    /// A field `is_done` is read into the key `isDone`, or into a key that is `is_done` itself, as the `CodingKeys` of an entity for
    /// `JSONForm.asDeclared` are.
    ///
    /// - Throws: `WireJSON.Failure` for fields that are missing or of another type; rules are not checked.
    public init(wireFields: [String: JSONValue]) throws {
        let document = try WireJSON.encode(JSONValue.object(wireFields))
        // All other names are spelled alike in both ways.
        let given = Self.fields.filter { $0.name.utf8.contains(95) && wireFields[$0.name] ?? .null != .null }
        let usual = Self.read(document, .snakeCase)
        if given.isEmpty || (try? usual.get())?.has(given, of: wireFields) == true {
            self = try usual.get()
            return
        }
        // An optional field under another key reads as none.
        let declared = Self.read(document, .declaredKeys)
        if let entity = try? declared.get(), entity.has(given, of: wireFields) {
            self = entity
            return
        }
        // A key has the name of its field if it is there and said to be missing, or is read and has a value of another type.
        if case .failure(let failure) = declared, failure.kind == .mismatch,
            given.contains(where: { $0.name == failure.path })
        {
            throw failure
        }
        if case .failure(let failure) = usual, failure.kind == .missing, wireFields[failure.path] ?? .null != .null {
            self = try declared.get()
        } else {
            self = try usual.get()
        }
    }

    private static func read(_ document: Data, _ form: JSONForm) -> Result<Self, WireJSON.Failure> {
        Result { () throws(WireJSON.Failure) in try form.decode(Self.self, from: document) }
    }

    /// Whether the entity has the values of these fields.
    private func has(_ given: [EntityField<Self>], of wireFields: [String: JSONValue]) -> Bool {
        var other = self
        return given.allSatisfy { $0.assign(&other, wireFields[$0.name] ?? .null) } && other == self
    }
}

extension JSONForm {
    /// As strict as `snakeCase`, with keys as the properties or the `CodingKeys` say.
    fileprivate static let declaredKeys = JSONForm(keys: .asDeclared) {
        let encoder = WireJSON.encoder()
        encoder.keyEncodingStrategy = .useDefaultKeys
        return encoder
    } decoder: {
        let decoder = WireJSON.decoder()
        decoder.keyDecodingStrategy = .useDefaultKeys
        return decoder
    }
}
