import ArgumentParser
import Glibc
import ScaffoldKit

/// What every command takes.
struct TreeOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The repository. Default: the current folder.", valueName: "folder"))
    var root: String?
    @Flag(help: "Print one JSON document.") var json = false

    /// Runs in the tree, alone, and ends with the status of the report.
    func run(
        _ body: (ScaffoldTool<ExemplarRenderer>) throws(ScaffoldRefusal) -> Report
    ) throws {
        let report: Report
        do throws(ScaffoldRefusal) {
            let files = try LocalFileSystem(root: folder())
            let lock = try TreeLock(root: files.root)
            report = try body(ScaffoldTool(files, renderer: ExemplarRenderer()))
            _ = consume lock
        } catch {
            guard json else { throw error }
            report = Report(.refused, error.description)
        }
        print(json ? report.json : report.text)
        if report.exitCode != .done { throw ArgumentParser.ExitCode(report.exitCode.rawValue) }
    }

    private func folder() throws(ScaffoldRefusal) -> String {
        if let root { return root }
        guard let path = getcwd(nil, 0) else { throw ScaffoldRefusal("The current folder is gone; use --root FOLDER.") }
        defer { free(path) }
        return String(cString: path)
    }
}
