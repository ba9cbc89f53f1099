import Foundation
import StrataTesting

/// What is to happen to a program that is started, at its calls that change files and at its looks at the clock; see
/// `Scripts/lib/faults.c`, which is loaded into it.
struct Faults: Sendable {
    enum How: String, Sendable, CaseIterable {
        /// SIGKILL instead of the call.
        case before
        /// SIGKILL after half of the bytes.
        case torn
        /// No room from this call on.
        case full
    }

    enum Clock: Sendable {
        case off(seconds: Int)
        case frozen(at: Int)
        /// Ahead by the seconds that this file says, read at every look; as it is while there is no such file.
        case movable(String)
        /// Between so many seconds ahead and so many behind, at every look.
        case jumping(seconds: Int)

        fileprivate var text: String {
            switch self {
            case .off(let seconds): String(seconds)
            case .frozen(let seconds): "=\(seconds)"
            case .movable(let file): "@\(file)"
            case .jumping(let seconds): "~\(seconds)"
            }
        }
    }

    /// Counts the calls that change files whose paths begin so.
    var under: String?
    /// The call at which something happens, from 1.
    var at: Int?
    var how = How.before
    /// Nothing is counted while this file is not there.
    var armed: String?
    /// A file that is told about every counted call.
    var log: String?
    var clock: Clock?

    /// Environment variables that bring the faults into a program.
    func variables() throws -> [String: String] {
        var variables = ["LD_PRELOAD": try Self.library.get(), "FAULTS_HOW": how.rawValue]
        variables["FAULTS_UNDER"] = under
        variables["FAULTS_AT"] = at.map { String($0) }
        variables["FAULTS_ARMED"] = armed
        variables["FAULTS_LOG"] = log
        variables["FAULTS_CLOCK"] = clock?.text
        return variables
    }

    /// The compiled library, once for all tests of this process.
    private static let library = Result { () throws -> String in
        let source = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Scripts/lib/faults.c").standardizedFileURL.path
        let target = NSTemporaryDirectory() + "strata-faults-\(ProcessInfo.processInfo.processIdentifier).so"
        for compiler in ["cc", "clang"] {
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments = [compiler, "-shared", "-fPIC", "-O1", "-o", target, source]
            process.standardError = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            if process.terminationStatus == 0 { return target }
        }
        throw EndToEndError("no C compiler made \(source) into a library; the package needs one to be built, too")
    }
}
