extension JSONForm {
    /// How keys are spelled. Keys of string dictionaries pass unchanged in every form.
    public struct Keys: Sendable {
        enum Kind: Sendable {
            case asDeclared
            case snakeCase
            case converted(encode: @Sendable (String) -> String, decode: @Sendable (String) -> String)
        }

        let kind: Kind

        /// As the property names or the `CodingKeys` say.
        public static let asDeclared = Keys(kind: .asDeclared)
        /// `page_size` for `pageSize`.
        public static let snakeCase = Keys(kind: .snakeCase)

        /// By functions; `decode` must undo `encode`. They see the values of `CodingKeys` too.
        ///
        /// ```swift
        /// JSONForm(keys: .converted(                                      // PageSize for pageSize
        ///     encode: { $0.prefix(1).uppercased() + $0.dropFirst() },
        ///     decode: { $0.prefix(1).lowercased() + $0.dropFirst() }))
        /// ```
        ///
        /// - Parameters:
        ///   - encode: From the declared name to the name on the wire.
        ///   - decode: From the name on the wire to the declared name.
        public static func converted(
            encode: @escaping @Sendable (String) -> String, decode: @escaping @Sendable (String) -> String
        ) -> Keys { Keys(kind: .converted(encode: encode, decode: decode)) }

        /// The name on the wire of a property or a `CodingKeys` value.
        func spelled(_ name: String) -> String {
            switch kind {
            case .asDeclared: name
            case .snakeCase: WireNames.snakeCase(name)
            case .converted(let encode, _): encode(name)
            }
        }

        /// The next step where a key is missing and the document has the key `found` in its place.
        func advice(found: String) -> String {
            let there = "the document has '\(found)' there"
            switch kind {
            case .asDeclared:
                let other = found.contains("_") ? ", or use the form .snakeCase if all keys are spelled so" : ""
                return "\(there). Write \"\(found)\" in CodingKeys\(other)"
            case .snakeCase:
                return
                    "\(there), which the form .snakeCase reads as '\(WireNames.camelCase(found))'. Name the property or its CodingKey so, "
                    + "or use the form .asDeclared, which takes CodingKeys as they are"
            case .converted(_, let decode):
                return
                    "\(there), which this form's function reads as '\(decode(found))'. Name the property or its CodingKey so, "
                    + "or correct the function"
            }
        }
    }
}
