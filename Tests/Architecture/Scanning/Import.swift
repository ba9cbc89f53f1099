/// One `import` declaration.
struct Import: Sendable, Hashable {
    /// The module, the first part of `path`.
    var module: String { path[0] }
    /// The name after `import`: `["Module"]`, `["Module", "Submodule"]`, or `["Module", "Type"]` with a `kind`.
    let path: [String]
    /// `struct`, `func` and the like in `import struct Module.Type`.
    let kind: String?
    /// `public`, `package`, `internal` …; `nil` for the default.
    let access: String?
    /// Names without `@` and arguments: `testable`, `_exported`, `preconcurrency`.
    let attributes: [String]
    /// The `#if` conditions around it, outermost first; `#else` reads as `else`.
    let conditions: [String]
    /// The line of the word `import`, from 1.
    let line: Int
}
