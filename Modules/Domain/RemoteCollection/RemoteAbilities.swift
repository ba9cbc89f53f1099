/// What an API can do with a collection.
///
/// State less when in doubt: the engine then looks before it writes, and confirms before it deletes.
public struct RemoteAbilities: Sendable, Hashable {
    /// Who gives a new row its id.
    public enum IDs: Sendable, Hashable {
        /// The sender: the remote id is the local one, and a create can be repeated.
        case client
        /// The server, with its answer to the create.
        case server
        /// The server, from these fields, of which no two rows have the same values.
        case naturalKey([String])
    }

    /// How later changes are asked for.
    public enum Deltas: Sendable, Hashable {
        /// Not at all: each pull reads the whole list.
        case fullList
        /// By the time of the change, which the server writes into each row. The engine asks from the latest time that it has seen,
        /// less `overlap`: as much as the clocks of the servers differ, and as long as a write takes to become visible.
        case since(field: String, overlap: Duration)
        /// By an opaque cursor, `PullPage.checkpoint`.
        case cursor
    }

    /// How a deletion by another client is noticed.
    public enum Deletions: Sendable, Hashable {
        /// A complete list does not have the row.
        case absentFromFullList
        /// The row stays in lists and in changes, and this field is neither missing, `null` nor `false`.
        case tombstoneField(String)
        /// `PullPage.deleted`.
        case feed
    }

    /// What keeps a write from overwriting a change of another client.
    public enum Precondition: Sendable, Hashable {
        /// `If-Match`, which the server checks.
        case ifMatch
        /// The engine reads the row before it writes. A change between the two is overwritten.
        case compareFirst
        /// Nothing. A change that was not pulled yet is overwritten: the whole row by a PUT, the edited fields by a PATCH.
        case none
    }

    /// What happens when a create is sent twice.
    public enum Repeat: Sendable, Hashable {
        /// Nothing: the server knows the key in this header field.
        case idempotencyKey(header: String)
        /// Nothing, or a refusal with 409: the row has an id or a key that was chosen by the sender.
        case natural
        /// A second row. After an unknown outcome the engine looks for the row before it sends the create again.
        case lookUpFirst
    }

    /// Who gives a new row its id.
    public var ids: IDs
    /// How later changes are asked for.
    public var deltas: Deltas
    /// How a deletion is noticed.
    public var deletions: Deletions
    /// What keeps a write from overwriting another one.
    public var precondition: Precondition
    /// What happens when a create is sent twice.
    public var repeats: Repeat
    /// Whether `find(.row(id))` is one small request. Default: `false`, it reads the list.
    public var findsByID: Bool

    /// The defaults are those of an API of which nothing is known.
    public init(
        ids: IDs = .server, deltas: Deltas = .fullList, deletions: Deletions = .absentFromFullList,
        precondition: Precondition = .compareFirst, repeats: Repeat = .lookUpFirst, findsByID: Bool = false
    ) {
        self.ids = ids
        self.deltas = deltas
        self.deletions = deletions
        self.precondition = precondition
        self.repeats = repeats
        self.findsByID = findsByID
    }
}
