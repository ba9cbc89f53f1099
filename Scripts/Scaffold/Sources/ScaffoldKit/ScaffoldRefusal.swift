/// Why nothing was done: the value, the reason and the next step.
package struct ScaffoldRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String
    package let exitCode: ExitCode

    /// - Parameter exitCode: `.usage` for an argument that no tree would accept. Default: `.refused`.
    package init(_ description: String, _ exitCode: ExitCode = .refused) {
        (self.description, self.exitCode) = (description, exitCode)
    }
}

/// The exit status of the tool; the numbers are those of sysexits.h.
package enum ExitCode: Int32, Sendable {
    /// Done, nothing left to do, or a dry run that would succeed.
    case done = 0
    /// An argument is not valid; nothing was changed.
    case usage = 64
    /// The tree does not allow it, and nothing was changed; or an update left conflicts.
    case refused = 65
}
