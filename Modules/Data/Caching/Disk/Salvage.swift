import FoundationEssentials
import GRDB

/// Takes over from a damaged file every entry that is whole.
///
/// Each page with rows is looked at by itself, so damage costs what lies on the page and nothing else, also where that
/// page is the first one or one that leads to others.
struct Salvage {
    /// Bytes taken over at most.
    let limit: Int

    /// - Parameters:
    ///   - old: Nobody need be able to open it.
    ///   - new: In a transaction, without records.
    func copy(from old: PageImage, to new: Database) throws {
        let parser = RowParser(old)
        var taken = 0
        for number in 1..<max(2, old.count + 1) {
            for row in parser.rows(on: number) where row.isWhole {
                taken += row.record.head.count + row.record.body.count
                guard taken < limit else { return }
                try EntrySQL.upsert(row.record, for: row.key, in: new)
            }
        }
    }
}
