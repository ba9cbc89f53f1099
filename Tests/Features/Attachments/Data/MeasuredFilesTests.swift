import AttachmentsData
import AttachmentsDomain
import Foundation
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

struct MeasuredFilesTests {
    private let files = MeasuredFiles(bodies: DiskFileBodies())
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test(arguments: [0, 1, 65_536, 200_001])
    func `a file has its size and its SHA-256`(count: Int) async throws {
        let content = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        let path = try directory.write("x", content)
        #expect(try await files.measure(path) == LocalFile(path, size: Int64(count), digest: .sha256(of: content)))
    }

    @Test func `what cannot be read is not found, and the text names it`() async throws {
        for path in [directory.file("missing"), directory.path, "/dev/null", directory.file("missing/x")] {
            let error = await #expect(throws: DomainError.self) { try await files.measure(path) }
            guard case .notFound(let text)? = error else {
                Issue.record("\(path): \(String(describing: error))")
                continue
            }
            #expect(text.contains("'\(path)'"))
        }
    }

    @Test func `it is known what is at a path`() throws {
        try directory.write("file", Data())
        func link(_ name: String, to target: String) throws {
            try FileManager.default.createSymbolicLink(atPath: directory.file(name), withDestinationPath: target)
        }
        try link("to-file", to: directory.file("file"))
        try link("to-directory", to: directory.path)
        try link("to-nothing", to: directory.file("missing"))
        try link("to-device", to: "/dev/null")
        try link("relative", to: "file")
        let kinds = ["file", "to-file", "relative", ".", "to-directory", "to-nothing", "to-device", "missing"].map {
            files.kind(of: directory.file($0))
        }
        #expect(kinds == [.file, .file, .file, .directory, .directory, .other, .other, .nothing])
        #expect(files.kind(of: "/dev/null") == .other)
    }
}
