/// Names as Swift takes them.
enum SwiftName {
    /// `default` in backticks, any other name as it is.
    static func escaped(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }

    /// The name of a type inside the entity; one that would hide a type its fields may have gets another end.
    static func nestedType(_ name: String) -> String { taken.contains(name) ? name + "Choice" : name }

    private static let taken: Set<String> = [
        "Any", "AnyObject", "Bool", "Data", "Date", "Double", "EntityField", "FieldChoice", "ID", "Identifier", "Int",
        "Never", "Optional", "Protocol", "Self", "Set", "String", "Type", "URL", "UUID",
    ]

    private static let keywords: Set<String> = [
        "actor", "as", "associatedtype", "async", "await", "break", "case", "catch", "class", "continue", "default",
        "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func",
        "guard", "if", "import", "in", "init", "inout", "internal", "is", "let", "nil", "operator", "package",
        "precedencegroup", "private", "protocol", "public", "repeat", "rethrows", "return", "self", "static", "struct",
        "subscript", "super", "switch", "throw", "throws", "true", "try", "typealias", "var", "where", "while",
    ]
}
