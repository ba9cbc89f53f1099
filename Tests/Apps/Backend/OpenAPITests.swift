import Foundation
import StrataService
import Testing

@testable import shiftlog_server

@Suite struct `The OpenAPI document of the server` {
    private static let golden = URL(filePath: #filePath).appending(path: "../../../Recorded/openapi.json").standardized

    /// `Scripts/openapi --write` writes the file anew; a review then sees what a change does to the interface.
    @Test func `is the one in the repository`() async throws {
        let document = try await OpenAPICommand.document(Settings(environment: ["HOME": "/nowhere"]))
        #expect(document.faults == [])
        let stored = try String(contentsOf: Self.golden, encoding: .utf8).split(separator: "\n")
        let printed = try document.text.split(separator: "\n")
        let changed = printed.difference(from: stored)
        #expect(changed.isEmpty, "The interface has changed in \(changed.count) lines; run 'Scripts/openapi --write'.")
    }
}
