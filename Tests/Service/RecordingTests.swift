import Foundation
import StrataFeatureTesting
import StrataTesting
import Testing

@Suite struct RecordingTests {
    private func withRecording(_ body: (Recording, String) throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            try FileManager.default.createDirectory(
                atPath: "\(directory)/Tests/Recorded", withIntermediateDirectories: true)
            let path = "\(directory)/Tests/Recorded/tides.txt"
            try Data("> GET /tides\n{\"a\":1,\"b\":2}\n".utf8).write(to: URL(filePath: path))
            try body(Recording("tides.txt", of: "\(directory)/Tests/TideTests.swift"), path)
        }
    }

    @Test func `the first other line is told with its request; the order of members is none`() async throws {
        try await withRecording { recording, _ throws in
            #expect(try recording.difference(from: "> GET /tides\n{\"b\":2,\"a\":1}\n") == nil)
            #expect(
                try recording.difference(from: "> GET /tides\n{\"a\":1,\"b\":3}\n")
                    == #"line 2, > GET /tides: recorded {"a":1,"b":2}, found {"a":1,"b":3}"#)
            #expect(
                try recording.difference(from: "> GET /tides\n{\"a\":1,\"b\":2}\n\n")
                    == "3 lines are recorded, 4 found")
        }
    }

    @Test func `a test that writes the file fails, and the next one compares`() async throws {
        try await withRecording { recording, path throws in
            #expect(try recording.difference(from: "new\n", isWritten: true)?.contains(path) == true)
            #expect(try recording.difference(from: "new\n", isWritten: false) == nil)
        }
    }
}
