import Foundation
import StrataDomain
import StrataService

/// A job with an effect in the database, and lines in the ledger when an attempt begins and ends.
struct Count: BackgroundJob {
    static let kind = "count"
    /// Failures of the job that is set aside in the end.
    static let policy = JobPolicy(
        attempts: 12, firstWait: .milliseconds(100), longestWait: .seconds(2), timeLimit: .seconds(60))

    var number: Int
    /// Attempts that fail before one succeeds; `nil` for all.
    var failures: Int?
    var key: String?

    /// One of 50 fails twice, one of 1,000 always, and one of ten has one of 97 keys.
    init(_ number: Int) {
        self.number = number
        failures = number % 1000 == 0 ? nil : number % 50 == 0 ? 2 : 0
        key = number % 10 == 1 ? "key \(number % 97)" : nil
    }

    static func handler(_ ledger: Ledger) -> JobHandler {
        JobHandler(Count.self, policy: policy) { job, run in
            ledger.note("begin", run)
            do {
                try await Task.sleep(for: .milliseconds(Int.random(in: 0...4)))
                guard let failures = job.failures, run.failures >= failures else { throw Planned() }
                try await run.finish { transaction in
                    try transaction.execute(
                        """
                        INSERT INTO counted (job, number, key, failures)
                        VALUES (\(run.id), \(job.number), \(job.key), \(run.failures))
                        """)
                }
                ledger.note("done", run)
            } catch {
                ledger.note("failed", run)
                throw error
            }
        }
    }
}

/// A failure that the job asks for.
struct Planned: Error, CustomStringConvertible { let description = "planned" }

/// The rows of effects. They have no key, so a second effect of a job is a second row.
struct Counts: FeatureService {
    let migrations = [
        StoreMigration(
            "counted",
            "CREATE TABLE counted (job TEXT NOT NULL, number BIGINT NOT NULL, key TEXT, failures BIGINT NOT NULL)",
            "CREATE TABLE filled (number BIGINT NOT NULL PRIMARY KEY)")
    ]

    func mount(on routes: inout APIRoutes) {}
}
