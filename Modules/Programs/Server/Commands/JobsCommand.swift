import ArgumentParser
import FoundationEssentials
import StrataDomain
import StrataService

/// `jobs`: the queue of jobs, also while servers run.
struct JobsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "jobs", abstract: "List, show, repeat and discard jobs; also while the server runs.",
        subcommands: [List.self, Show.self, Retry.self, Discard.self])

    struct List: ServerCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List jobs, the oldest first: state, kind, attempts, times, id.")

        @Option(
            help: "Only jobs that are arrived, behind, ready, running or failed.", transform: JobText.state
        ) var state: QueuedJob.State?
        @Option(help: "Only jobs of this kind.") var kind: String?
        @Option(help: "At most so many, 1 to 1000.") var limit = 100
        @Flag(help: "Print one JSON document.") var json = false
        @OptionGroup var store: StoreOptions

        func validate() throws {
            guard (1...1000).contains(limit) else { throw ValidationError("--limit is 1 to 1000; it is \(limit).") }
        }

        func run(environment: [String: String]) async throws {
            try await store.withJobs(environment) { queue in
                let jobs = try await queue.list(state: state, kind: kind, limit: limit)
                if json { return try StandardStreams.output(JobText.json(jobs)) }
                for line in JobText.lines(jobs) { try StandardStreams.output(line) }
            }
        }
    }

    struct Show: ServerCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show a job with its payload and its last error.")

        @Argument(help: "Id of the job.") var id: String
        @Flag(help: "Print one JSON document.") var json = false
        @OptionGroup var store: StoreOptions

        func run(environment: [String: String]) async throws {
            try await store.withJobs(environment) { queue in
                let job = try await queue.get(id)
                if json { return try StandardStreams.output(JobText.json(job)) }
                for line in JobText.details(job) { try StandardStreams.output(line) }
            }
        }
    }

    struct Retry: ServerCommand {
        static let configuration = CommandConfiguration(
            commandName: "retry",
            abstract: "Repeat a job that was set aside, or let the next attempt of a waiting one begin now.")

        @Argument(help: "Id of the job.") var id: String?
        @Flag(help: "Repeat every job that was set aside.") var all = false
        @Option(help: "With --all: only jobs of this kind.") var kind: String?
        @OptionGroup var store: StoreOptions

        func validate() throws { try JobText.check(id, all: all, kind: kind) }

        func run(environment: [String: String]) async throws {
            try await store.withJobs(environment) { queue in
                let now = SystemWallClock().now
                if let id {
                    try await queue.retry(id, at: now)
                    try StandardStreams.output("The next attempt of the job '\(id)' begins now.")
                } else {
                    let count = try await queue.retryFailed(kind: kind, at: now)
                    try StandardStreams.output("\(JobText.count(count)) begin again.")
                }
            }
        }
    }

    struct Discard: ServerCommand {
        static let configuration = CommandConfiguration(
            commandName: "discard", abstract: "Remove a job that does not run; it is not done.")

        @Argument(help: "Id of the job.") var id: String?
        @Flag(help: "Discard every job that was set aside.") var all = false
        @Option(help: "With --all: only jobs of this kind.") var kind: String?
        @OptionGroup var store: StoreOptions

        func validate() throws { try JobText.check(id, all: all, kind: kind) }

        func run(environment: [String: String]) async throws {
            try await store.withJobs(environment) { queue in
                if let id {
                    try await queue.discard(id)
                    try StandardStreams.output("Discarded the job '\(id)'.")
                } else {
                    let count = try await queue.discardFailed(kind: kind)
                    try StandardStreams.output("Discarded \(JobText.count(count)).")
                }
            }
        }
    }
}

extension StoreOptions {
    /// Passes the queue of an existing database to `body`; also while the server runs.
    func withJobs(_ environment: [String: String], _ body: (JobQueue) async throws -> Void) async throws {
        try await Self.withDatabase(try settings(environment), creates: false) { database in
            try await body(JobQueue(store: database))
        }
    }
}
