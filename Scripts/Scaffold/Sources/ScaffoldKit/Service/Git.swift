import Foundation

/// Runs `git` in one folder; arguments go to it as they are, through no shell.
package struct Git: Sendable {
    package let folder: String

    package init(_ folder: String) { self.folder = folder }

    package struct Answer: Sendable {
        package let status: Int32
        package let bytes: [UInt8]
        package let errors: String

        package var text: String { String(decoding: bytes, as: UTF8.self) }
    }

    /// - Throws: A refusal when git is not installed.
    package func callAsFunction(_ arguments: [String]) throws(ScaffoldRefusal) -> Answer {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["git", "-C", folder] + arguments
        let output = Pipe()
        let errors = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = errors
        do { try process.run() } catch { throw ScaffoldRefusal("git cannot be started: \(error)") }
        let bytes = (try? output.fileHandleForReading.readToEnd()) ?? Data()
        let text = (try? errors.fileHandleForReading.readToEnd()) ?? Data()
        process.waitUntilExit()
        return Answer(
            status: process.terminationStatus, bytes: Array(bytes),
            errors: String(decoding: text, as: UTF8.self))
    }

    /// The lines of an answer that has to be there.
    ///
    /// - Throws: A refusal with what git said.
    package func lines(_ arguments: [String], separator: Character = "\n") throws(ScaffoldRefusal) -> [String] {
        let answer = try self(arguments)
        guard answer.status == 0 else {
            throw ScaffoldRefusal(
                "'git \(arguments.first ?? "")' failed in '\(folder.printable)': \(answer.errors.prefix(300).description.printable)"
            )
        }
        return answer.text.split(separator: separator).map(String.init)
    }
}
