import FoundationEssentials
import StrataDomain

/// Runs a batch of mutations in one transaction, and decides which of them are deferred.
///
/// Mutations are independent except for three relations. Mutations of one row form a queue: after one that was not applied
/// the rest is deferred. A mutation is deferred until those it depends on are applied. A group is applied as a whole or not
/// at all.
struct MutationBatchRunner {
    let runner: MutationRunner
    let principal: Principal
    let now: Date
    let transaction: any StoreTransaction

    private struct Row: Hashable {
        var collection: String
        var id: String
    }

    /// Rows with a mutation that was not applied; later mutations of them are deferred.
    private var blocked: Set<Row> = []
    /// Whether each mutation so far is applied.
    private var isApplied: [Mutation.ID: Bool] = [:]
    private var groups: [String: [Mutation]] = [:]
    private var results: [MutationResult?] = []
    /// Places of results that an earlier batch stored.
    private(set) var repeated: Set<Int> = []

    init(_ runner: MutationRunner, by principal: Principal, at now: Date, in transaction: any StoreTransaction) {
        (self.runner, self.principal, self.now, self.transaction) = (runner, principal, now, transaction)
    }

    /// One result for each mutation, in order.
    ///
    /// - Throws: `StoreError.unavailable` or `.full`, which roll the transaction back.
    mutating func run(_ mutations: [Mutation]) throws -> [MutationResult] {
        results = Array(repeating: nil, count: mutations.count)
        let members = Dictionary(grouping: mutations.indices.filter { mutations[$0].group != nil }) {
            mutations[$0].group ?? ""
        }
        for (place, mutation) in mutations.enumerated() where results[place] == nil {
            if let group = mutation.group, let places = members[group], places.count > 1 {
                try runGroup(places, of: mutations)
            } else {
                record(try settle(mutation), of: mutation, at: place)
            }
        }
        return results.compactMap { $0 }
    }

    private mutating func record(_ settled: MutationRunner.Settled, of mutation: Mutation, at place: Int) {
        let result = settled.result
        results[place] = result
        if settled.isRepeated { repeated.insert(place) }
        // For an id that is used twice in a batch, the first use counts.
        if isApplied[mutation.id] != true { isApplied[mutation.id] = result.status == .applied }
        if result.status != .applied { blocked.insert(Row(collection: mutation.collection, id: mutation.entityId)) }
    }

    private func settle(_ mutation: Mutation) throws -> MutationRunner.Settled {
        if let known = try runner.settled(mutation, by: principal, in: transaction) { return known }
        if let reason = try reasonToDefer(mutation) { return .init(result: .deferred(mutation, reason)) }
        let outcome = try runner.attempt(mutation, by: principal, at: now, in: transaction)
        return .init(result: try runner.settle(mutation, outcome, by: principal, at: now, in: transaction))
    }

    /// Why `mutation` is deferred; `nil` when it can be tried.
    private func reasonToDefer(_ mutation: Mutation) throws -> String? {
        guard !blocked.contains(Row(collection: mutation.collection, id: mutation.entityId)) else {
            return "An earlier write to '\(mutation.entityId)' was not applied; resolve that one first."
        }
        for id in mutation.dependsOn ?? [] {
            guard try isApplied[id] ?? runner.isApplied(id, of: principal, in: transaction) else {
                return "The mutation '\(id)' is not applied; send it first."
            }
        }
        return nil
    }

    // MARK: Groups

    private struct GroupFailure: Error {
        var place: Int
        /// `nil` for a mutation that was not tried.
        var outcome: MutationRunner.Outcome?
        var settled: MutationRunner.Settled?
    }

    /// Tries every mutation of a group in one savepoint. When one fails, all are rolled back and the others are deferred.
    private mutating func runGroup(_ places: [Int], of mutations: [Mutation]) throws {
        let before = self
        do {
            self = try transaction.attempt {
                var run = before
                for place in places { try run.tryMember(place, of: mutations) }
                return run
            }
        } catch let failure as GroupFailure {
            let failed = mutations[failure.place]
            var settled = failure.settled
            if let outcome = failure.outcome {
                // Settled again after the rollback of the others.
                settled = .init(
                    result: try runner.settle(failed, outcome, by: principal, at: now, in: transaction))
            }
            for place in places {
                let mutation = mutations[place]
                let kept =
                    place == failure.place ? settled : try runner.settled(mutation, by: principal, in: transaction)
                let reason = "The mutation '\(failed.id)' of its group was not applied."
                record(kept ?? .init(result: .deferred(mutation, reason)), of: mutation, at: place)
            }
        }
    }

    private mutating func tryMember(_ place: Int, of mutations: [Mutation]) throws {
        let mutation = mutations[place]
        if let known = try runner.settled(mutation, by: principal, in: transaction) {
            guard known.result.status == .applied else { throw GroupFailure(place: place, settled: known) }
            return record(known, of: mutation, at: place)
        }
        if let reason = try reasonToDefer(mutation) {
            throw GroupFailure(place: place, settled: .init(result: .deferred(mutation, reason)))
        }
        let outcome = try runner.attempt(mutation, by: principal, at: now, in: transaction)
        guard case .applied = outcome else { throw GroupFailure(place: place, outcome: outcome) }
        let result = try runner.settle(mutation, outcome, by: principal, at: now, in: transaction)
        record(.init(result: result), of: mutation, at: place)
    }
}
