// scaffold:begin imports
import StrataClientProgram

// scaffold:end imports

extension Synchronised {
    /// What works offline; `Scripts/new-feature` adds a row for each such feature.
    static let all = rows {
        // scaffold:begin synchronised
        journal
        // scaffold:end synchronised
    }
}
