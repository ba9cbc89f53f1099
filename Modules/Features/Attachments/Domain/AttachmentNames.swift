import JournalDomain
package import StrataDomain

/// What the files of an entity are called on the wire, in paths, in the database and in commands. A name must never change.
///
/// Those of `Shift` are `shift attachments`: `shift_id`, `/v1/shift-attachments`, the table `shift_attachment`. Those of the journal were
/// the first; their names are without a prefix.
package enum AttachmentNames<Parent: Entity> {
    private static var isJournal: Bool { Parent.self == JournalEntry.self }

    /// The noun of the entity in its files' fields and in commands: `entry`, `lab report`.
    private static var parts: [String] {
        isJournal ? ["entry"] : Parent.noun.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
    }

    /// `attachment`; of others `shift attachment`.
    package static var noun: String { isJournal ? "attachment" : "\(parts.joined(separator: " ")) attachment" }
    /// `attachments`, `shift-attachments`: below `/v1`, and the group of the commands.
    package static var path: String { "\(noun.replacing(" ", with: "-"))s" }
    /// `attachment`, `shift_attachment`.
    package static var table: String { noun.replacing(" ", with: "_") }
    /// `Attachment`, `ShiftAttachment`: in the document of the API.
    package static var schema: String { noun.split(separator: " ").map(Self.capital).joined() }
    /// The column with the id of the entity: `entry_id`, `shift_id`.
    package static var column: String { "\(parts.joined(separator: "_"))_id" }
    /// The member with the id of the entity, before it becomes `entry_id`: `entryId`, `shiftId`.
    package static var member: String {
        ([parts.first ?? ""] + parts.dropFirst().map { Self.capital($0[...]) }).joined() + "Id"
    }

    /// The entity in short: `entry`, `report`.
    package static var word: String { parts.last ?? Parent.noun }
    /// `an entry`.
    package static var aWord: String { article(word) }
    /// `a journal entry`.
    package static var aParent: String { article(Parent.noun) }

    private static func article(_ noun: String) -> String { "\("aeiou".contains(noun.prefix(1)) ? "an" : "a") \(noun)" }
    private static func capital(_ word: Substring) -> String { word.prefix(1).uppercased() + word.dropFirst() }
}
