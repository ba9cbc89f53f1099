import FoundationEssentials
import StrataDomain

/// One batch on its way through a transaction: which mutations may be tried, and what the others wait for.
///
/// Every mutation stands for itself, but for three ties. Writes to one row are a lane: behind one that was not accepted
/// the rest of the lane is deferred. A mutation waits for those it depends on. A group takes effect whole or not at all.
struct MutationBatchRun {
    let runner: MutationRunner
    let principal: Principal
    let now: Date
    let transaction: any StoreTransaction

    private struct Row: Hashable {
        var collection: String
        var id: String
    }

    /// Rows behind which nothing more is tried in this batch.
    private var blocked: Set<Row> = []
    /// Whether each mutation met so far is in effect.
    private var inEffect: [Mutation.ID: Bool] = [:]
    private var groups: [String: [Mutation]] = [:]
    private var results: [MutationResult?] = []

    init(_ runner: MutationRunner, by principal: Principal, at now: Date, in transaction: any StoreTransaction) {
        (self.runner, self.principal, self.now, self.transaction) = (runner, principal, now, transaction)
    }

    /// One result for each mutation, in order.
    ///
    /// - Throws: `StoreError.unavailable`; then nothing of the transaction counts.
    mutating func run(_ mutations: [Mutation]) throws -> [MutationResult] {
        results = Array(repeating: nil, count: mutations.count)
        let members = Dictionary(grouping: mutations.indices.filter { mutations[$0].group != nil }) {
            mutations[$0].group ?? ""
        }
        for (place, mutation) in mutations.enumerated() where results[place] == nil {
            if let group = mutation.group, let places = members[group], places.count > 1 {
                try runGroup(places, of: mutations)
            } else {
                note(try result(of: mutation), of: mutation, at: place)
            }
        }
        return results.compactMap { $0 }
    }

    private mutating func note(_ result: MutationResult, of mutation: Mutation, at place: Int) {
        results[place] = result
        // An id that came before in this batch keeps its first meaning.
        if inEffect[mutation.id] != true { inEffect[mutation.id] = result.status == .applied }
        if result.status != .applied { blocked.insert(Row(collection: mutation.collection, id: mutation.entityId)) }
    }

    private func result(of mutation: Mutation) throws -> MutationResult {
        if let known = try runner.settled(mutation, by: principal, in: transaction) { return known }
        if let reason = try obstacle(to: mutation) { return .deferred(mutation, reason) }
        let outcome = try runner.attempt(mutation, by: principal, at: now, in: transaction)
        return try runner.settle(mutation, outcome, by: principal, at: now, in: transaction)
    }

    /// What `mutation` waits for; `nil` when it may be tried.
    private func obstacle(to mutation: Mutation) throws -> String? {
        guard !blocked.contains(Row(collection: mutation.collection, id: mutation.entityId)) else {
            return "An earlier write to '\(mutation.entityId)' was not accepted; settle that one first."
        }
        for id in mutation.dependsOn ?? [] {
            guard try inEffect[id] ?? runner.isInEffect(id, of: principal, in: transaction) else {
                return "The mutation '\(id)' is not in effect; send it first."
            }
        }
        return nil
    }

    // MARK: Groups

    private struct Fallen: Error {
        var place: Int
        /// `nil` when the mutation was not tried.
        var outcome: MutationRunner.Outcome?
        var result: MutationResult?
    }

    /// Tries every mutation of a group in one savepoint. When one falls, the others are deferred as if never tried.
    private mutating func runGroup(_ places: [Int], of mutations: [Mutation]) throws {
        let before = self
        do {
            self = try transaction.attempt {
                var run = before
                for place in places { try run.tryMember(place, of: mutations) }
                return run
            }
        } catch let fallen as Fallen {
            let culprit = mutations[fallen.place]
            var verdict = fallen.result
            if let outcome = fallen.outcome {
                // Looked up and stored again, now that the effects of the others are undone.
                verdict = try runner.settle(culprit, outcome, by: principal, at: now, in: transaction)
            }
            for place in places {
                let mutation = mutations[place]
                let kept =
                    place == fallen.place ? verdict : try runner.settled(mutation, by: principal, in: transaction)
                note(
                    kept ?? .deferred(mutation, "The mutation '\(culprit.id)' of its group was not accepted."),
                    of: mutation, at: place)
            }
        }
    }

    private mutating func tryMember(_ place: Int, of mutations: [Mutation]) throws {
        let mutation = mutations[place]
        if let known = try runner.settled(mutation, by: principal, in: transaction) {
            guard known.status == .applied else { throw Fallen(place: place, result: known) }
            return note(known, of: mutation, at: place)
        }
        if let reason = try obstacle(to: mutation) {
            throw Fallen(place: place, result: .deferred(mutation, reason))
        }
        let outcome = try runner.attempt(mutation, by: principal, at: now, in: transaction)
        guard case .applied = outcome else { throw Fallen(place: place, outcome: outcome) }
        note(
            try runner.settle(mutation, outcome, by: principal, at: now, in: transaction), of: mutation, at: place)
    }
}
