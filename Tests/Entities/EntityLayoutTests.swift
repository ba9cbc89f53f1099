import StrataCaching
import StrataDomain
import StrataOffline
import StrataPresentation
import StrataService
import Testing

@testable import SpecimensDomain

/// One small field; a specimen has 22.
private struct Label: Entity {
    static let noun = "label"
    static let collection = "labels"
    static let fields: [EntityField<Label>] = [.init("is_new", \.isNew)]

    var isNew: Bool
}

@Suite struct `The size of what programs store of an entity` {
    /// The modules of the programs do not import the entities. An incremental build does not compile them when a field is
    /// added, so a size that depended on the fields would be an old one there.
    @Test func `does not depend on its fields`() {
        #expect(MemoryLayout<Label>.size < MemoryLayout<Specimen>.size)

        let small = sizes(Label.self)
        for (name, size) in sizes(Specimen.self) { #expect(small[name] == size, "\(name)") }
    }

    private func sizes<Content: Entity>(_ entity: Content.Type) -> [String: Int] {
        func size<Value>(of type: Value.Type) -> (String, Int) {
            ("\(type)".split(separator: "<").first.map(String.init) ?? "", MemoryLayout<Value>.size)
        }
        return Dictionary(uniqueKeysWithValues: [
            size(of: EntityReader<Content>.self), size(of: EntityTable<Content>.self),
            size(of: RemoteEntityRepository<Content>.self), size(of: CachedEntityRepository<Content>.self),
            size(of: OfflineEntityRepository<Content>.self), size(of: EntityUseCases<Content>.self),
            size(of: EntityQuery<Content>.self), size(of: ComputedField<Content>.self),
            size(of: EntityField<Content>.self), size(of: EntityRow<Content>.self),
            size(of: EntityListModel<Content>.self),
        ])
    }
}
