import StrataDomain
import StrataPresentation
import StrataTesting
import Testing

@testable import SpecimensDomain

@Suite @MainActor struct `A list of specimens` {
    private let repository = FakeEntityRepository(.example("s-1"))

    @Test func `shows what there is, and follows it`() async throws {
        let model = EntityListModel(Specimens(repository))
        await model.load()
        #expect(model.items == [.example("s-1")] && !model.isLoading && model.error == nil)
        repository.change { $0.items.append(.example("s-2", .other)) }
        let following = Task { try await model.follow() }
        try await eventually("it follows") { model.items.map(\.id.rawValue) == ["s-2", "s-1"] }
        following.cancel()
        try await following.value
    }

    @Test func `keeps what it shows when a read fails, and says why`() async {
        let model = EntityListModel(Specimens(repository))
        await model.load()
        repository.change { $0.failure = .unavailable("connection refused") }
        await model.load()
        #expect(model.items == [.example("s-1")] && model.error == .unavailable("connection refused"))
        repository.change { $0.failure = .cancelled }
        await model.load()
        #expect(model.error == .unavailable("connection refused"), "whoever cancels knows")
    }
}
