import Foundation
import ServiceLifecycle
import StrataAsyncHTTP
import StrataDomain
import StrataNetworking
import StrataPostgres
import StrataService

/// `serve --port P`: one replica. `fill JOBS WEBHOOKS`: stores so many of both, in their order, and ends.
struct Worker {
    let store: PostgresStore
    let service: ServiceApplication
    let ledger: Ledger

    init(port: Int, _ variables: [String: String]) async throws {
        guard let location = try PostgresLocation(variables["JOBS_DATABASE"] ?? "") else {
            throw Misuse("JOBS_DATABASE is no address of PostgreSQL.")
        }
        store = try await PostgresStore.open(location, application: "jobs-worker")
        ledger = try Ledger(in: variables["JOBS_LEDGERS"] ?? ".")
        let receiver = WebhookReceiver(
            url: variables["JOBS_RECEIVER"] ?? "", secrets: [try WebhookSecret(Secret(variables["JOBS_SECRET"] ?? ""))])
        let webhooks = WebhookSender(
            client: try HTTPAPIClient.outgoing(allowsPrivateAddresses: true), receivers: ["orders": receiver],
            policy: JobPolicy(
                attempts: 10_000, firstWait: .seconds(1), longestWait: .seconds(5), timeLimit: .seconds(40)),
            allowsPrivateAddresses: true)
        service = try ServiceApplication(
            features: [Counts()], store: store, authenticator: Nobody(),
            jobs: [Count.handler(ledger), webhooks.handler], options: ServiceOptions(port: port, name: "jobs-worker"))
        try await service.prepare()
    }

    func serve() async throws {
        let group = ServiceGroup(
            services: [service], gracefulShutdownSignals: [.sigterm, .sigint], logger: .init(label: "jobs-worker"))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await ledger.live() }
            tasks.addTask { try await group.run() }
            _ = try await tasks.next()
            tasks.cancelAll()
        }
        await store.close()
    }

    /// A connection that is lost in between leads to the next attempt of the same transaction.
    func fill(jobs: Int, webhooks: Int) async throws {
        let size = 100
        let every = max(1, jobs / max(1, webhooks))
        for first in stride(from: 1, through: jobs, by: size) {
            try await repeating {
                try await store.write { transaction in
                    for number in first..<min(first + size, jobs + 1) {
                        try transaction.enqueue(Count(number), at: Date())
                        guard number.isMultiple(of: every), number / every <= webhooks else { continue }
                        try transaction.enqueue(
                            try Webhook(to: "orders", type: "counted", number / every, at: Date()), at: Date())
                    }
                    try transaction.execute("INSERT INTO filled (number) VALUES (\(first))")
                }
            }
        }
        await store.close()
    }

    private func repeating(_ body: () async throws -> Void) async throws {
        while true {
            do { return try await body() } catch StoreError.constraint { return } catch StoreError.unavailable {
                try await Task.sleep(for: .milliseconds(200))
            }
        }
    }
}

/// No request needs a login.
struct Nobody: Authenticator {
    func principal(bearer token: String) async throws -> Principal { throw refusal }
    func principal(apiKey: String) async throws -> Principal { throw refusal }

    private var refusal: ServiceError {
        ServiceError(401, code: "unauthorized", title: "Unauthorized", detail: "Nobody can log in here.")
    }
}

struct Misuse: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

let words = CommandLine.arguments.dropFirst()
let variables = ProcessInfo.processInfo.environment
switch (words.first, words.count) {
case ("serve", 3): try await Worker(port: Int(words.last ?? "") ?? 0, variables).serve()
case ("fill", 3):
    let counts = words.dropFirst().compactMap { Int($0) }
    guard counts.count == 2 else { throw Misuse("fill needs two numbers.") }
    try await Worker(port: 0, variables).fill(jobs: counts[0], webhooks: counts[1])
default: throw Misuse("Usage: jobs-worker serve --port P | fill JOBS WEBHOOKS")
}
