import StrataDomain
import Testing

@testable import StrataClientProgram
@testable import shiftlog

/// The row that gives the command line the files of an owner's entity.
struct OwnersAttachmentsTests {
    struct Shift: Entity {
        static let noun = "shift"
        static let collection = "shifts"
        static let fields: [EntityField<Shift>] = [.init("title", \.title, .line(1...80))]
        var title: String
    }

    @Test func `one row brings the commands of another entity's files`() {
        let rows: [CommandSet] = [
            .attachments(of: Shift.self),
            .attachments,
        ]
        let groups = rows.flatMap { row in row.commands.map { "\($0)" } }
        #expect(groups == ["AttachmentsGroup<Shift>", "AttachmentsGroup<JournalEntry>"])
    }
}
