import AttachmentsData
import AttachmentsDomain
import Foundation
import StrataDomain
import StrataNetworking
import Testing

struct MeasuredFilesTests {
    private let files = MeasuredFiles(bodies: DiskFileBodies())
    private let folder: Folder

    init() throws { folder = try Folder() }

    @Test(arguments: [0, 1, 65_536, 200_001])
    func `a file has its size and its SHA-256`(count: Int) async throws {
        let content = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        let path = try folder.write("x", content)
        #expect(try await files.measure(path) == FileMeasure(size: Int64(count), digest: .sha256(of: content)))
    }

    @Test func `what cannot be read is not found, and the text names it`() async throws {
        for path in [folder("missing"), folder.path, "/dev/null", folder("missing/x")] {
            let error = await #expect(throws: DomainError.self) { try await files.measure(path) }
            guard case .notFound(let text)? = error else {
                Issue.record("\(path): \(String(describing: error))")
                continue
            }
            #expect(text.contains("'\(path)'"))
        }
    }

    @Test func `it is known what is at a path`() throws {
        try folder.write("file", Data())
        func link(_ name: String, to target: String) throws {
            try FileManager.default.createSymbolicLink(atPath: folder(name), withDestinationPath: target)
        }
        try link("to-file", to: folder("file"))
        try link("to-folder", to: folder.path)
        try link("to-nothing", to: folder("missing"))
        try link("to-device", to: "/dev/null")
        try link("relative", to: "file")
        let kinds = ["file", "to-file", "relative", ".", "to-folder", "to-nothing", "to-device", "missing"].map {
            files.kind(of: folder($0))
        }
        #expect(kinds == [.file, .file, .file, .directory, .directory, .other, .other, .nothing])
        #expect(files.kind(of: "/dev/null") == .other)
    }
}
