import Testing

@testable import ScaffoldKit

struct MergeDecisionTests {
    private static let (one, two, three) = (FileContents("1"), FileContents("2"), FileContents("3"))

    @Test(
        arguments: [
            (one, one, one, MergeDecision.keep), (one, two, one, .keep), (one, nil, one, .keep), (one, two, two, .keep),
            (one, nil, nil, .keep), (nil, one, nil, .keep), (nil, one, one, .keep),
            (one, one, two, .take(two)), (one, one, nil, .take(nil)), (nil, nil, one, .take(one)),
            (one, two, three, .merge(base: one, ours: two, theirs: three)),
            (nil, one, two, .merge(base: FileContents(""), ours: one, theirs: two)),
            (one, nil, two, .conflict("was deleted here, and changed by the template")),
            (one, two, nil, .conflict("was changed here, and deleted by the template")),
            (one, FileContents(bytes: [0xFF]), two, .conflict("is no text, and both sides changed it")),
        ] as [(FileContents?, FileContents?, FileContents?, MergeDecision)])
    func `three versions decide`(
        base: FileContents?, ours: FileContents?, theirs: FileContents?, decision: MergeDecision
    ) {
        #expect(MergeDecision(base: base, ours: ours, theirs: theirs) == decision)
    }
}
