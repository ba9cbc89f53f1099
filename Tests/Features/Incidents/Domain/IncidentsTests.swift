import IncidentsDomain
import StrataDomain
import Testing

@Suite struct `What can be done with incidents` {
    private let repository = FakeIncidentRepository(.example("s-1"))
    private var incidents: Incidents { Incidents(repository) }
    private let id = Incident.ID("s-1")

    @Test(arguments: [Incident.sample, .other, .least])
    func `what keeps the rules is added as it is`(incident: Incident) async throws {
        let added = try await incidents.add(incident)
        #expect(added.content == incident)
        #expect(try await incidents.show(added.id).value == added)
    }

    @Test(arguments: Incident.flaws)
    func `a value that breaks a rule is refused by its field, and nothing is kept`(
        field: String, value: JSONValue
    ) async throws {
        let flawed = try Incident.sample(field, value)
        for call in [{ try await incidents.add(flawed) }, { try await incidents.edit(id) { $0 = flawed } }] {
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
        let edited = try await incidents.edit(id) { $0 = .other }
        #expect(edited.content == .other && edited.version == 4)
    }

    @Test func `an edit that changes nothing is refused`() async {
        await #expect(throws: DomainError.self) { _ = try await incidents.edit(id) { $0 = .sample } }
    }

    @Test func `what is removed is gone`() async throws {
        try await incidents.remove(id)
        #expect(try await incidents.list().value.isEmpty)
        let error = await #expect(throws: DomainError.self) { try await incidents.remove(id) }
        guard case .notFound = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `a field that may be without a value is cleared, another is not`() throws {
        for field in Incident.fields {
            if field.isOptional {
                #expect(try field.value(Incident.sample.clearing([field.name])) == .null)
            } else {
                #expect(throws: DomainError.self) { try Incident.sample.clearing([field.name]) }
            }
        }
        #expect(throws: DomainError.self) { try Incident.sample.clearing(["nothing of the kind"]) }
    }
}
