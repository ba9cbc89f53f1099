import Foundation
import StrataServerProgram
import StrataService
import Testing

@testable import shiftlog_server

/// `Scripts/openapi --write` writes the file anew; a review then sees what a change does to the interface.
private let recording = URL(filePath: #filePath).appending(path: "../../../Recorded/openapi.json").standardized
private let isRecorded = FileManager.default.fileExists(atPath: recording.path)

@Suite struct `The OpenAPI document of the server` {
    // scaffold:only Template
    @Test func `is recorded`() { #expect(isRecorded) }

    // scaffold:end-only
    @Test func `describes every route without a fault`() async throws {
        #expect(try await document().faults == [])
    }

    @Test(.enabled(if: isRecorded, "'Scripts/openapi --write' records the interface."))
    func `is the one in the repository`() async throws {
        let stored = try String(contentsOf: recording, encoding: .utf8).split(separator: "\n")
        let changed = try await document().text.split(separator: "\n").difference(from: stored)
        #expect(changed.isEmpty, "The interface has changed in \(changed.count) lines; run 'Scripts/openapi --write'.")
    }

    private func document() async throws -> OpenAPIDocument {
        try await ShiftlogServer.program.service(environment: ["HOME": "/nowhere"]).openAPI
    }
}
