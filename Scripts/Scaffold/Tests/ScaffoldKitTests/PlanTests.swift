import Testing

@testable import ScaffoldKit

/// What is planned is what happens, wholly or not at all.
@Suite struct PlanTests {
    @Test func `what is planned is what happens`() throws {
        let files = MemoryFileSystem.sample()
        let before = files.files
        let plan = try AddFeature(.incident, in: SourceTree(files)).plan

        #expect(files.files == before)
        try PlanRunner(files).apply(plan)

        var expected = before
        for step in plan.steps { expected[step.path] = step.after }
        #expect(files.files == expected)
        #expect(plan.steps.map(\.path) == plan.steps.map(\.path).sorted())
        #expect(Set(plan.steps.map(\.verb)) == ["create", "edit"])
    }

    @Test func `changes to one file are one step`() throws {
        let files = MemoryFileSystem.sample()
        let plan = try AddFeature(.incident, in: SourceTree(files)).plan

        #expect(plan.steps.filter { $0.path == "Apps/Backend/Features.swift" }.count == 1)
        let after = plan.steps.first { $0.path == "Apps/Backend/Features.swift" }?.after?.text ?? ""
        #expect(after.contains("import IncidentsService\n") && after.contains("    IncidentsService()\n"))
    }

    @Test(arguments: [
        (FileChange.create("Package.swift", FileContents("x")), "is there already"),
        (.create("package.swift", FileContents("x")), "only by capitals"),
        (.create("Package.swift/x", FileContents("x")), "where a folder is needed"),
        (.create("Modules", FileContents("x")), "is a folder"),
        (.replace("None.swift", FileContents("x")), "not there to be changed"),
        (.delete("None.swift"), "not there to be removed"),
        (
            .editRegion("None.swift", region: "features", adding: ["a"], removing: []),
            "The line to have in 'features' is: a"
        ),
    ])
    func `a change that cannot be is refused`(change: FileChange, reason: String) {
        let message = refusal { _ = try Plan([change], in: SourceTree(MemoryFileSystem.sample())) }

        #expect(message.contains(reason), "\(message)")
    }

    @Test func `a tree that changed since the plan is left alone`() throws {
        let files = MemoryFileSystem.sample()
        let plan = try AddFeature(.incident, in: SourceTree(files)).plan
        files.edit("Package.swift", "edited")
        let before = files.snapshot

        #expect(refusal { try PlanRunner(files).apply(plan) }.contains("changed while the plan was made"))
        #expect(files.snapshot == before)
    }

    // MARK: Faults, at every change there is

    /// A tree before a run and the plan of the run.
    struct Start: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let make: @Sendable () throws -> (MemoryFileSystem, Plan)
    }

    static let starts = [
        Start(testDescription: "adding") {
            let files = MemoryFileSystem.sample()
            return (files, try AddFeature(.incident, in: SourceTree(files)).plan)
        },
        Start(testDescription: "removing") {
            let files = MemoryFileSystem.sample()
            _ = try ScaffoldTool(files).add(.incident, isDry: false)
            return (files, try Removal<FeatureSpec>("Incident", from: SourceTree(files)).plan)
        },
        Start(testDescription: "adding a client") {
            let files = MemoryFileSystem.sample()
            let tree = SourceTree(files)
            return (files, try AddClient(.tides, to: tree, from: tree, formatter: AsItIs()).plan)
        },
        Start(testDescription: "removing a client") {
            let files = MemoryFileSystem.sample()
            _ = try ScaffoldTool(files).addClient(.tides, isDry: false)
            return (files, try Removal<ClientSpec>("Tides", from: SourceTree(files)).plan)
        },
        Start(testDescription: "adding a field") {
            let files = MemoryFileSystem.sample()
            _ = try ScaffoldTool(files).add(.incident, isDry: false)
            let tree = SourceTree(files)
            return (
                files,
                try AddField("owner:reference(User)", to: "Incident", in: tree, strata: tree, formatter: AsItIs()).plan
            )
        },
        Start(testDescription: "removing with a backup, beside another feature") {
            let files = MemoryFileSystem.sample()
            _ = try ScaffoldTool(files).add(.incident, isDry: false)
            _ = try ScaffoldTool(files).add(.checklist, isDry: false)
            files.edit("Modules/Features/Incidents/README.md", "edited")
            return (files, try Removal<FeatureSpec>("Incident", from: SourceTree(files), isForced: true).plan)
        },
    ]

    @Test(arguments: starts, [FaultyFileSystem.Fault.denied, .full])
    func `an error at any change leaves the tree as it was`(start: Start, fault: FaultyFileSystem.Fault) throws {
        let (tree, plan) = try start.make()
        let before = tree.snapshot
        var refused = 0
        for number in 0... {
            let files = tree.copy()
            let faulty = FaultyFileSystem(files, fault, at: number)
            let message = refusal { try PlanRunner(faulty).apply(plan) }
            guard faulty.isReached else { break }
            // After the last step of the change only the tool's own files are left to clear.
            if message.isEmpty { continue }
            refused += 1
            #expect(message.contains("Nothing was changed."), "change \(number): \(message)")
            try PlanRunner(files).repair()
            #expect(files.snapshot == before, "change \(number)")
        }
        #expect(refused > 5)
    }

    @Test(arguments: starts)
    func `a kill between any two changes leaves a tree that the next run puts back`(start: Start) throws {
        let (tree, plan) = try start.make()
        let before = tree.snapshot
        let whole = tree.copy()
        try PlanRunner(whole).apply(plan)
        var killed = 0
        var finished = 0
        for number in 0... {
            let files = tree.copy()
            let faulty = FaultyFileSystem(files, .kill, at: number)
            try? PlanRunner(faulty).apply(plan)
            guard faulty.isReached else { break }

            try PlanRunner(files).repair()
            let isBefore = files.snapshot == before
            #expect(isBefore || files.snapshot == whole.snapshot, "change \(number)")
            if isBefore { killed += 1 } else { finished += 1 }
        }
        #expect(killed > 10)
        #expect(finished > 0)
    }

    @Test(arguments: starts)
    func `a kill while a tree is put back is put right too`(start: Start) throws {
        let (tree, plan) = try start.make()
        let before = tree.snapshot
        let whole = tree.copy()
        try PlanRunner(whole).apply(plan)
        var putBack = 0
        for first in 0... {
            var isReached = false
            for second in 0... {
                let files = tree.copy()
                let faulty = FaultyFileSystem(files, .kill, at: first)
                try? PlanRunner(faulty).apply(plan)
                isReached = faulty.isReached
                let again = FaultyFileSystem(files, .kill, at: second)
                _ = try? PlanRunner(again).repair()
                guard isReached, again.isReached else { break }

                try PlanRunner(files).repair()
                if files.snapshot == before { putBack += 1 }
                #expect(files.snapshot == before || files.snapshot == whole.snapshot, "changes \(first), \(second)")
            }
            guard isReached else { break }
        }
        #expect(putBack > 100)
    }

    @Test(arguments: starts)
    func `a loss of power at any change leaves a tree that the next run puts back`(start: Start) throws {
        let (putBack, finished, broken) = try Self.powerLosses(start, seeds: 8)

        #expect(broken == [])
        #expect(putBack > 100 && finished > 10)
    }

    @Test(arguments: 0..<4)
    func `each flush is needed`(flush: Int) throws {
        #expect(try Self.powerLosses(Self.starts[3], seeds: 16, losing: flush).broken != [])
    }

    /// Ends a run at each of its changes, loses the power there, and once more while the tree is put back.
    ///
    /// - Returns: How many trees were as before in the end, and as planned, and what is wrong with the others.
    private static func powerLosses(
        _ start: Start, seeds: Int, losing flush: Int? = nil
    ) throws -> (putBack: Int, finished: Int, broken: [String]) {
        let (tree, plan) = try start.make()
        let before = tree.snapshot
        let whole = tree.copy()
        try PlanRunner(whole).apply(plan)
        var (putBack, finished, broken) = (0, 0, [String]())
        for number in 0... {
            let files = VolatileFileSystem(before, losing: flush)
            let faulty = FaultyFileSystem(files, .kill, at: number)
            try? PlanRunner(faulty).apply(plan)
            for seed in 0..<seeds {
                var random = SeededNumbers(number << 8 + seed)
                let left = VolatileFileSystem(files.afterPowerLoss(&random))
                _ = try? PlanRunner(FaultyFileSystem(left, .kill, at: seed * 5)).repair()
                let last = MemoryFileSystem(left.afterPowerLoss(&random))
                let message = refusal { try PlanRunner(last).repair() }
                if message.isEmpty && last.snapshot == before {
                    putBack += 1
                } else if message.isEmpty && last.snapshot == whole.snapshot {
                    finished += 1
                } else {
                    broken.append("change \(number), seed \(seed): \(message)")
                }
            }
            guard faulty.isReached else { return (putBack, finished, broken) }
        }
        return (putBack, finished, broken)
    }

    @Test func `a file that was edited after a kill is not overwritten`() throws {
        let files = MemoryFileSystem.sample()
        let plan = try AddFeature(.incident, in: SourceTree(files)).plan
        // Behind the copies and the journal, flushed, in the middle of the changes.
        let writes = plan.steps.reduce(0) { $0 + ($1.before == nil ? 1 : 2) }
        try? PlanRunner(FaultyFileSystem(files, .kill, at: writes + 16)).apply(plan)
        let changed = try #require(plan.steps.first { files.files[$0.path] == $0.after })
        files.edit(changed.path, "mine")

        let message = refusal { try PlanRunner(files).repair() }

        #expect(message.contains("'\(changed.path)' was edited since."), "\(message)")
        #expect(files.files[changed.path]?.text == "mine")
    }

    @Test func `a dry run does not start where a run was interrupted`() throws {
        let files = MemoryFileSystem.sample()
        let plan = try AddFeature(.incident, in: SourceTree(files)).plan
        let writes = plan.steps.reduce(0) { $0 + ($1.before == nil ? 1 : 2) }
        try? PlanRunner(FaultyFileSystem(files, .kill, at: writes + 16)).apply(plan)
        let before = files.snapshot

        #expect(refusal { _ = try ScaffoldTool(files).add(.incident, isDry: true) }.contains("interrupted"))
        #expect(files.snapshot == before)
        #expect(try ScaffoldTool(files).add(.incident, isDry: false).exitCode == .done)
        #expect(try files.kind(of: ".scaffold/work") == nil)
    }
}
