import FoundationEssentials
import StrataDomain
import StrataTesting

@testable import SpecimensDomain

typealias FakeEntityRepository = MemoryEntityRepository<Specimen>

extension MemoryEntityRepository<Specimen> {
    convenience init(_ items: Stored<Specimen>...) {
        self.init(items, prefix: "s", time: Stored<Specimen>.example().updatedAt)
    }
}
