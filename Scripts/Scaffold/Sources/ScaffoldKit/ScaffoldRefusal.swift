/// Why nothing was done, as sentences: the value, what is wrong with it, and a way that works.
package struct ScaffoldRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

/// How a run of the tool ends.
package enum ExitCode: Int32, Sendable {
    /// Done, or nothing was left to do.
    case done = 0
    /// Refused; nothing was changed.
    case refused = 1
    /// The arguments cannot be read.
    case usage = 2
    /// A dry run that found something to change.
    case wouldChange = 3
}
