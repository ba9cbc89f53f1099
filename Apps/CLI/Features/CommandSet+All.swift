// scaffold:begin imports
import StrataClientProgram

// scaffold:end imports

extension CommandSet {
    /// All commands with their tools, in the order of the help.
    static let all: [CommandSet] = [
        // scaffold:begin features
        .accounts,
        .attachments,
        .journal,
        .runbooks,
        // scaffold:end features
        .sync,
        .request,
        .cache,
        .cacheProxy,
        .config,
        .status,
    ]
}
