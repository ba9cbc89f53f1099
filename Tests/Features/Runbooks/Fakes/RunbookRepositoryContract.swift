import RunbooksDomain
import StrataDomain
import StrataFeatureTesting
import Testing

/// What every `RunbookRepository` promises; run it on the fake and on the real one.
struct RunbookRepositoryContract {
    /// A repository without runbooks.
    let repository: any RunbookRepository

    func check() async throws {
        try await anEmptyListIsEmpty()
        try await whatIsCreatedIsListedByTitle()
        try await filtersFindTagsAndText()
        try await anUpdateNeedsTheVersionThatIsThere()
        try await aDeletionNeedsItToo()
        await whatIsMissingIsNotFound()
    }

    private func anEmptyListIsEmpty() async throws {
        #expect(try await repository.runbooks(RunbookFilter(), .cacheFirst).value.isEmpty)
    }

    private func whatIsCreatedIsListedByTitle() async throws {
        let second = try await repository.create(RunbookDraft(title: "Disk full", body: "# Häfen 100%", tags: ["disk"]))
        let first = try await repository.create(
            RunbookDraft(title: "Certificate", body: "renew", tags: ["tls", "disk"]))
        #expect(second.version > 0)
        let list = try await repository.runbooks(RunbookFilter(), .cacheFirst).value
        #expect(list == [first, second])
        #expect(try await repository.runbook(first.id, .cacheFirst).value == first)
    }

    private func filtersFindTagsAndText() async throws {
        func titles(_ filter: RunbookFilter) async throws -> [String] {
            try await repository.runbooks(filter, .cacheFirst).value.map(\.title)
        }
        #expect(try await titles(RunbookFilter(tag: "disk")) == ["Certificate", "Disk full"])
        #expect(try await titles(RunbookFilter(tag: "tls")) == ["Certificate"])
        #expect(try await titles(RunbookFilter(tag: "dis")) == [])
        #expect(try await titles(RunbookFilter(text: "HÄFEN")) == ["Disk full"])
        #expect(try await titles(RunbookFilter(text: "100%")) == ["Disk full"])
        #expect(try await titles(RunbookFilter(text: "_")) == [])
        #expect(try await titles(RunbookFilter(tag: "disk", text: "renew")) == ["Certificate"])
    }

    private func anUpdateNeedsTheVersionThatIsThere() async throws {
        let runbook = try await repository.create(RunbookDraft(title: "Edit me", body: "one"))
        let edited = try await repository.update(
            runbook.id, to: RunbookDraft(title: "Edit me", body: "two"), basedOn: runbook.version)
        #expect(edited.version > runbook.version)
        #expect(try await repository.runbook(runbook.id, .cacheFirst).value == edited)
        await expect(.isConflict) { () throws(DomainError) in
            _ = try await repository.update(
                runbook.id, to: RunbookDraft(title: "Edit me", body: "lost"), basedOn: runbook.version)
        }
        #expect(try await repository.runbook(runbook.id, .refresh).value.body == "two")
    }

    private func aDeletionNeedsItToo() async throws {
        let runbook = try await repository.create(RunbookDraft(title: "Remove me", body: "one"))
        await expect(.isConflict) { () throws(DomainError) in
            try await repository.delete(runbook.id, basedOn: runbook.version + 1)
        }
        try await repository.delete(runbook.id, basedOn: runbook.version)
        await expect(.isNotFound) { () throws(DomainError) in
            _ = try await repository.runbook(runbook.id, .cacheFirst)
        }
        #expect(await repository.lastShown(runbook.id) == nil)
    }

    private func whatIsMissingIsNotFound() async {
        let id = Runbook.ID("nowhere")
        await expect(.isNotFound) { () throws(DomainError) in _ = try await repository.runbook(id, .cacheFirst) }
        await expect(.isNotFound) { () throws(DomainError) in
            _ = try await repository.update(id, to: RunbookDraft(title: "x", body: "y"), basedOn: 1)
        }
        await expect(.isNotFound) { () throws(DomainError) in try await repository.delete(id, basedOn: 1) }
    }
}

/// The error of `call`, after it was found to be of `kind`.
@discardableResult
func expect(
    _ kind: ErrorKind, _ location: SourceLocation = #_sourceLocation, _ call: () async throws(DomainError) -> Void
) async -> DomainError? {
    do {
        try await call()
        Issue.record("nothing was thrown", sourceLocation: location)
        return nil
    } catch {
        #expect(ErrorKind(error) == kind, "\(error)", sourceLocation: location)
        return error
    }
}
