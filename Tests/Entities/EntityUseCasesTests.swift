import StrataDomain
import StrataTesting
import Testing

@testable import SpecimensDomain

@Suite struct `What can be done with specimens` {
    private let repository = FakeEntityRepository(.example("s-1"))
    private var specimens: Specimens { Specimens(repository) }
    private let id = Specimen.ID("s-1")

    @Test(arguments: [Specimen.sample, .other, .least])
    func `what keeps the rules is added as it is`(specimen: Specimen) async throws {
        let added = try await specimens.create(specimen)
        #expect(added.content == specimen)
        #expect(try await specimens.get(added.id).value == added)
    }

    @Test(arguments: Specimen.flaws)
    func `a value that breaks a rule is refused by its field, and nothing is kept`(
        field: String, value: JSONValue
    ) async throws {
        let flawed = try Specimen.sample(field, value)
        for call in [{ try await specimens.create(flawed) }, { try await specimens.update(id) { $0 = flawed } }] {
            let error = await #expect(throws: DomainError.self) { _ = try await call() }
            guard case .validation(_, let fields) = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(fields.map(\.field) == [field])
        }
        #expect(repository.current.items == [.example("s-1")])
    }

    @Test func `an edit is put on what is known here`() async throws {
        let edited = try await specimens.update(id) { $0 = .other }
        #expect(edited.content == .other && edited.version == 4)
    }

    @Test func `an edit to the values that are there is no write`() async throws {
        #expect(try await specimens.update(id) { $0 = .sample }.version == 3)
    }

    @Test func `what is removed is gone`() async throws {
        try await specimens.delete(id)
        #expect(try await specimens.list().value.isEmpty)
        let error = await #expect(throws: DomainError.self) { try await specimens.delete(id) }
        guard case .notFound = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `a field that may be without a value is cleared, another is not`() throws {
        for field in Specimen.fields {
            if field.isOptional {
                #expect(try field.value(Specimen.sample.changing([field.name: .null])) == .null)
            } else {
                #expect(throws: DomainError.self) { try Specimen.sample.changing([field.name: .null]) }
            }
        }
        #expect(throws: DomainError.self) { try Specimen.optionalField("nothing of the kind") }
    }
}
