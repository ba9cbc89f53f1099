import SpecimensDomain
import SpecimensService
import StrataFeatureTesting
import Testing

/// What follows from the fields is tested by the contract; tests of what is particular to specimens stand here.
struct SpecimenTests {
    @Test func `specimens keep the contract of an entity`() async throws {
        let failures = try await EntityContract<SpecimensDomain.Specimen>(SpecimensService()).failures()
        #expect(failures == [])
    }
}
