import StrataDomain

/// The rule of a tag.
package enum RunbookTag {
    package static let rule = "must be 1 to 40 of a-z, 0-9 and '-'"

    package static func isLegal(_ text: String) -> Bool {
        (1...40).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D }
    }
}

extension FieldRule<[String]> {
    private static var schema: JSONSchema {
        .array(of: .text(1...40, pattern: "^[a-z0-9-]+$")).merging(JSONSchema(["maxItems": 20, "uniqueItems": true]))
    }

    /// At most 20 different tags.
    static var tags: FieldRule {
        FieldRule("at most 20 different tags of a-z, 0-9 and '-'", flaw: ["twice", "twice"], schema: schema) {
            field, tags, check in
            if tags.count > 20 { check.refuse(field, "must be at most 20; there are \(tags.count)") }
            for (index, tag) in tags.enumerated() where !RunbookTag.isLegal(tag) {
                check.refuse("\(field).\(index)", RunbookTag.rule)
            }
            if Set(tags).count != tags.count { check.refuse(field, "must not repeat") }
        }
    }
}
