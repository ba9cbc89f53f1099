import FoundationEssentials

extension WireJSON {
    /// A document that cannot be read: the type, the key, and the expected value. It holds no value of the document.
    public struct Failure: Error, Sendable, Hashable, CustomStringConvertible {
        /// What is wrong.
        public enum Kind: Sendable, Hashable {
            /// The bytes are no JSON, a member is missing, or a value has another type.
            case notJSON, missing, mismatch
        }

        /// What is wrong.
        public let kind: Kind
        /// Name of the requested type.
        public let type: String
        /// Keys from the root as they stand in the document, joined by dots; `body` for the root itself. A missing key is spelled
        /// as the form would read it.
        public let path: String
        /// What would be right, for people.
        public let expected: String
        /// What is in the document in place of what was expected, and the next step; `nil` where nothing is known.
        public let hint: String?

        public var description: String {
            switch kind {
            case .notJSON: "\(type): \(hint ?? "the document is not valid JSON")."
            case .missing: "\(type): key '\(path)' is missing; \(hint ?? "expected \(expected)")."
            case .mismatch: "\(type): '\(path)' must be \(expected)."
            }
        }

        private init(kind: Kind, type: Any.Type, path: String, expected: String) {
            (self.kind, self.type, self.path) = (kind, String(describing: type), path)
            (self.expected, hint) = (expected, nil)
        }

        /// The same place in another type.
        func expecting(_ expected: String, in type: Any.Type) -> Failure {
            Failure(kind: kind, type: type, path: path, expected: expected)
        }

        /// A document that is JSON, but not of the type; nothing says which of its keys is wrong.
        static func mismatch(in type: Any.Type) -> Failure {
            Failure(kind: .mismatch, type: type, path: "body", expected: "a valid value")
        }

        init(_ error: any Error, decoding type: Any.Type, from document: Data, in form: JSONForm) {
            self.type = String(describing: type)
            var hint: String?
            func path(_ keys: [any CodingKey]) -> String {
                let names = keys.isEmpty ? [] : DocumentKeys(document).place(of: keys, in: form.keys).names
                return names.isEmpty ? "body" : names.joined(separator: ".")
            }
            switch error {
            case DecodingError.keyNotFound(let key, let context):
                let place = DocumentKeys(document).place(of: context.codingPath, in: form.keys)
                let name = key.intValue.map(String.init) ?? form.keys.spelled(key.stringValue)
                hint = place.members.first { DocumentKeys.isSpelling($0, of: key.stringValue) }
                    .map(form.keys.advice(found:))
                (kind, self.path, expected) = (.missing, (place.names + [name]).joined(separator: "."), "a value")
            case DecodingError.valueNotFound(let wanted, let context):
                (kind, self.path, expected) = (.mismatch, path(context.codingPath), "\(form.name(wanted)), not null")
            case DecodingError.typeMismatch(let wanted, let context):
                (kind, self.path, expected) = (.mismatch, path(context.codingPath), form.name(wanted))
            case DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty:
                (kind, self.path, expected) = (.mismatch, path(context.codingPath), "a valid value")
            default:
                (kind, self.path, expected) = (.notJSON, "body", "JSON")
                if document.isEmpty {
                    hint = "the document is empty; where that is an answer, read it as '\(type)?' or NoContent"
                }
            }
            self.hint = hint
        }
    }
}

extension JSONForm {
    /// The kind of JSON value that `type` is read from.
    fileprivate func name(_ type: Any.Type) -> String {
        switch type {
        case is String.Type: "a string"
        case is any BinaryInteger.Type: "an integer"
        case is any BinaryFloatingPoint.Type, is Decimal.Type: "a number"
        case is Bool.Type: "true or false"
        case is Date.Type: dates.expectation
        case is [Any].Type: "an array"
        default: String(describing: type).hasPrefix("Array<") ? "an array" : "an object"
        }
    }
}
