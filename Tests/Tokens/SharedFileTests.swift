import StrataDomain
import StrataTesting
import Testing

@testable import StrataTokens

/// Several stores and providers that share only one file, like separate processes.
struct SharedFileTests {
    let clock = ManualWallClock(SessionTokens.noon)

    @Test func `eight providers that start with an expired token cause one refresh`() async throws {
        let directory = try TemporaryDirectory()
        try await FileTokenStore(directory: directory.path).write(.number(1, living: .seconds(2)))
        let clock = clock
        clock.advance(by: .seconds(5))
        let refresher = FakeRefresher { number, _ in .number(number + 1, living: .seconds(2), at: clock.now) }
        let tokens = try await withThrowingTaskGroup { group in
            for _ in 0..<8 {
                let provider = RefreshingTokenProvider(
                    store: try FileTokenStore(directory: directory.path), refresher: refresher, clock: clock)
                group.addTask { try await provider.currentToken() }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(tokens.allSatisfy { $0 == Secret("access-2") })
        #expect(refresher.sent == [Secret("refresh-1")])
    }

    @Test func `a chain of refreshes over many providers never sends a used token`() async throws {
        let directory = try TemporaryDirectory()
        try await FileTokenStore(directory: directory.path).write(.number(1))
        let clock = clock
        let refresher = FakeRefresher { number, sent in
            #expect(sent == Secret("refresh-\(number)"))
            return .number(number + 1, at: clock.now)
        }
        let providers = try (0..<4).map { _ in
            RefreshingTokenProvider(
                store: try FileTokenStore(directory: directory.path), refresher: refresher, clock: clock)
        }
        for step in 1...5 {
            try await withThrowingTaskGroup { group in
                for provider in providers {
                    group.addTask {
                        let token = try await provider.refreshToken(rejecting: Secret("access-\(step)"))
                        #expect(token == Secret("access-\(step + 1)"))
                    }
                }
                try await group.waitForAll()
            }
        }
        #expect(refresher.sent.count == 5)
    }
}
