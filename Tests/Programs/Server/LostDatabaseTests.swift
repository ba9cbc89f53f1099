import ArgumentParser
import FoundationEssentials
import StrataFeatureTesting
import StrataService
import StrataTesting
import Testing

@testable import StrataServerProgram

/// A database server that goes away between the first statement of a command and its last one.
@Suite struct `A database server that is lost` {
    private let address = ProcessInfo.processInfo.environment["STRATA_TEST_POSTGRES"]
    private let program = ServerProgram(
        name: "order-desk-server", client: "order-desk", release: "1", abstract: "", features: { _, _ in [] })
    private let lost = StoreError.unavailable("the connection was lost")

    /// The status of a command whose body meets the lost connection.
    private func status(_ environment: [String: String]) async throws -> Int32? {
        try await ServerProgram.$current.withValue(program) {
            let settings = try StoreOptions.parse([]).settings(environment)
            let error = await #expect(throws: (any Error).self) {
                try await StoreOptions.withDatabase(settings) { _ in throw lost }
            }
            return error.map { Failure($0).status }
        }
    }

    @Test(.enabled(if: StoreEngine.postgres != nil))
    func `it is unreachable, as one that was never there`() async throws {
        let address = try #require(address)
        let status = try await status(["ORDER_DESK_DATABASE": address])
        #expect(status == 69)
    }

    /// The file is opened while the server is open, so both could be blamed.
    @Test(.enabled(if: StoreEngine.postgres != nil))
    func `a copy from a server into a file that cannot be made blames the file`() async throws {
        let address = try #require(address)
        let status = try await ServerProgram.$current.withValue(program) {
            let copy = try CopyCommand.parse(["--from", address, "--to", "sqlite:/proc/none/copy.sqlite"])
            let error = await #expect(throws: (any Error).self) { try await copy.run(environment: [:]) }
            return error.map { Failure($0).status }
        }
        #expect(status == 73)
    }

    @Test func `a file that cannot be used is no such server`() async throws {
        try await withTemporaryDirectory { directory in
            let status = try await status(["ORDER_DESK_HOME": directory])
            #expect(status == 73)
        }
    }
}
