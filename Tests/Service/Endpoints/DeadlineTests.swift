import Foundation
import HTTPTypes
import HummingbirdTesting
import StrataConcurrency
import StrataDomain
import StrataTesting
import Testing

@testable import StrataService

@Suite struct DeadlineTests {
    private static let deadline = HTTPField.Name("X-Request-Deadline-Ms")!

    @Test func `a request is cancelled at the deadline of its caller`() async throws {
        let clock = ManualClock()
        try await withService(configure: { $0.clock = clock }) { service, client in
            async let reply = client.send(.post, "/v1/hold", headers: [Self.deadline: "1500"])
            try await service.feature.arrived.wait()
            await clock.waitForSleeper(dueIn: .milliseconds(1500)...(.milliseconds(1500)))
            clock.advance(by: .milliseconds(1500))
            let answer = try await reply
            #expect(answer.status == 504)
            #expect(try answer.problem().code == "deadline_exceeded")
        }
    }

    @Test(arguments: ["0", "-1", "1.5", "1e3", "x", "", "1234567890123456789"])
    func `a deadline that is no number from 1 is 400, and the request does not run`(_ sent: String) async throws {
        try await withService { service, client in
            let reply = try await client.send(
                .post, "/v1/notes", headers: [Self.deadline: sent], json: #"{"text":"late","level":1}"#)
            let problem = try reply.problem()
            #expect(problem.status == 400 && problem.code == "invalid_parameter")
            #expect(problem.errors?.map(\.field) == ["X-Request-Deadline-Ms"])
            try await expectRows(0, in: "note", of: service.store)
        }
    }

    @Test(arguments: ["60001", "999999999999999999", nil])
    func `the limit of the service caps the deadline of the caller`(_ sent: String?) async throws {
        let clock = ManualClock()
        try await withService(configure: { $0.clock = clock }) { service, client in
            var headers: HTTPFields = [:]
            headers[Self.deadline] = sent
            async let reply = client.send(.post, "/v1/hold", headers: headers)
            try await service.feature.arrived.wait()
            await clock.waitForSleeper(dueIn: .seconds(60)...(.seconds(60)))
            clock.advance(by: .seconds(60))
            #expect(try await reply.status == 504)
        }
    }

    /// A timer that outlives its request would let any client take memory for a time of its choice.
    @Test(arguments: ["86400000", nil])
    func `completed requests leave no timer`(_ sent: String?) async throws {
        try await withTemporaryDirectory { directory in
            let service = try await TestService(directory: directory)
            let application = try service.application()
            try await application.prepare()
            try await application.application().test(.router) { client in
                let client = Client(client: client)
                var headers: HTTPFields = [:]
                headers[Self.deadline] = sent
                for _ in 0..<200 {
                    _ = try await client.send(.get, "/health/live", headers: headers)
                    _ = try await client.send(.get, "/health/ready", headers: headers)
                    _ = try await client.send(.post, "/v1/notes", as: nil, headers: headers, json: "{}")
                    _ = try await client.send(
                        .post, "/v1/notes", headers: headers, json: #"{"text":"kept","level":1}"#)
                }
            }
            #expect(application.timers.pendingCount == 0)
            #expect(application.timers.footprint.entries <= 65)
            try await service.close()
        }
    }
}
