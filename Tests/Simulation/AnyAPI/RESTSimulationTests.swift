import Foundation
import Testing

/// The engine in front of REST servers that are not ours. `Scripts/simulate --any-api` runs more seeds, or repeats one.
@Suite(.serialized) struct `Simulated REST servers` {
    private static let environment = ProcessInfo.processInfo.environment
    private static let seeds = environment["STRATA_SEEDS"].flatMap { Int($0) } ?? 40
    private static let first = environment["STRATA_SEED"].flatMap { UInt64($0) } ?? 0
    /// For `Scripts/simulate`, which adds the sums of several processes.
    private static let printsSums = environment["STRATA_SEEDS"] != nil
    /// One set, or all.
    private static let chosen = RESTRules.all.filter { environment["STRATA_SET"] ?? $0.name == $0.name }

    @Test(arguments: chosen)
    func `a store in front of any REST server converges and loses nothing`(rules: RESTRules) throws {
        let (failure, sums) = try RESTSeeds.firstFailure(
            rules, from: Self.first, count: Self.seeds, twiceEvery: 10)
        if let failure { Issue.record("\(try RESTSeeds.report(failure))") }
        if Self.printsSums {
            print("traces: \(String(sums.traces, radix: 16))")
            let counts = sums.counts
            let all = [counts.createdTwice, counts.revived, counts.updatedTwice, counts.overwritten]
            print("counts: \(all.map { String($0) }.joined(separator: " "))")
        } else {
            print("\(rules): \(sums.counts.text)")
        }
    }

    @Test func `the sets cover each ability twice`() {
        let all = RESTRules.all
        #expect(all.count >= 8 && Set(all.map(\.name)).count == all.count)
        #expect(all.filter(\.hasTasks).count >= 3)
        for ids in [RESTRules.Ids.client, .server, .naturalKey] { #expect(all.filter { $0.ids == ids }.count >= 2) }
        for deltas in [RESTRules.Deltas.fullList, .since, .cursor] {
            #expect(all.filter { $0.deltas == deltas }.count >= 2)
        }
        for deletions in [RESTRules.Deletions.absence, .tombstoneField, .feed] {
            #expect(all.filter { $0.deletions == deletions }.count >= 2)
        }
        for precondition in [RESTRules.Precondition.ifMatch, .compareFirst, .none] {
            #expect(all.filter { $0.precondition == precondition }.count >= 2)
        }
        for repeats in [RESTRules.Repeats.key, .natural, .lookUp] {
            #expect(all.filter { $0.repeats == repeats }.count >= 2)
        }
    }

    @Test func `the guide says what each set of abilities leaves open`() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let root = folder.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(contentsOf: root.appending(path: "Docs/Guides/Offline-any-API.md"), encoding: .utf8)
        let rows = page.split(separator: "\n").map { line in
            line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
        for rules in RESTRules.all {
            let row = rows.first { $0.count == 5 && $0[0].contains("`\(rules.name)`") }
            let said = row?.dropFirst().map { $0 != "no" && $0 != "nothing" }
            #expect(said == rules.leavesOpen, "\(rules)")
        }
    }

    @Test(arguments: RESTBug.allCases)
    func `every planted pitfall is found`(bug: RESTBug) throws {
        for rules in RESTRules.all where bug.rules.contains(rules.name) {
            let found = try RESTSeeds.firstFailure(rules, from: 0, count: 400, bug: bug, twiceEvery: .max).failure
            if let found {
                print("\(bug): set \(rules), seed \(found.seed): \(found.violation)")
                return
            }
        }
        Issue.record("No seed of the sets \(bug.rules.joined(separator: ", ")) finds \(bug).")
    }
}
