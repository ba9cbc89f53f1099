import ArgumentParser
import FoundationEssentials
import StrataDomain
import StrataFeatureTesting
import StrataOffline
import StrataService
import StrataTerminal
import StrataTesting
import Testing

/// An entity with a field of each type, with and without a value. Its body has no rule.
struct Scrap: Entity {
    static let noun = "scrap"
    static let collection = "scraps"
    static let fields: [EntityField<Scrap>] = [
        .init("body", \.body), .init("note", \.note, .lines(0...100)).redacted,
        .init("level", \.level, .within(-9...9)),
        .init("count", \.count), .init("ratio", \.ratio), .init("is_open", \.isOpen), .init("read_at", \.readAt),
        .init("kind", \.kind), .init("page", \.page), .init("batch", \.batch), .init("owner", \.owner),
        .init("labels", \.labels), .init("tags", \.tags),
        .init("sizes", \.sizes), .init("loads", \.loads), .init("kinds", \.kinds),
    ]

    enum Kind: String, FieldChoice { case air, water }

    var body: String
    var note: String?
    var level: Int
    var count: Int?
    var ratio: Double?
    var isOpen: Bool?
    var readAt: Date?
    var kind: Kind?
    var page: URL?
    var batch: UUID?
    var owner: Identifier<Scrap>?
    var labels: [String]?
    var tags: [String]
    var sizes: [Int]?
    var loads: [Double]?
    var kinds: [Kind]?

    init(body: String, level: Int) {
        (self.body, self.level, tags) = (body, level, [])
    }

    /// With quotes, line breaks, letters in two spellings, numbers at their ends, and missing and empty values.
    static func random(_ random: inout SeededRandom) -> Scrap {
        func maybe<Value>(_ value: (inout SeededRandom) -> Value?) -> Value? {
            Bool.random(using: &random) ? value(&random) : nil
        }
        func text(_ random: inout SeededRandom) -> String {
            let parts = [
                "\"", ",", "\r", "\n", "\r\n", "[1]", "{", "é", "e\u{301}", "日本", " ", "=1+1", "\u{202E}", "\\n",
            ]
            return (0..<Int.random(in: 0..<9, using: &random)).map { _ in parts.randomElement(using: &random) ?? "" }
                .joined()
        }
        func words(_ random: inout SeededRandom) -> [String] {
            let words = ["wet", "\"q\"", "a,b", "[\"a\"]", "[1]", "é", "{}", "two words", "", " ", "a\tb"]
            return (0..<Int.random(in: 0..<4, using: &random)).map { _ in words.randomElement(using: &random) ?? "x" }
        }
        var scrap = Scrap(body: text(&random), level: Int.random(in: -9...9, using: &random))
        scrap.note = maybe { text(&$0) }
        scrap.count = maybe { [Int.min, -1, 0, Int.max].randomElement(using: &$0) }
        scrap.ratio = maybe { [0, -0.1, 1e300, 3, Double.random(in: -9...9, using: &$0)].randomElement(using: &$0) }
        scrap.isOpen = maybe { Bool.random(using: &$0) }
        scrap.readAt = maybe {
            Date(timeIntervalSince1970: Double(Int.random(in: 0...4_000_000_000_000, using: &$0)) / 1000)
        }
        scrap.kind = maybe { Kind.allCases.randomElement(using: &$0) }
        scrap.page = maybe { URL(string: "https://example.org/\(Int.random(in: 0...9, using: &$0))?a=1,2") }
        scrap.batch = maybe { UUID.random(using: &$0) }
        scrap.owner = maybe { Identifier("o-\(Int.random(in: 0...9, using: &$0))") }
        scrap.labels = maybe { words(&$0) }
        scrap.tags = words(&random)
        scrap.sizes = maybe { [[], [Int.min, 0, 0], [7]].randomElement(using: &$0) }
        scrap.loads = maybe { [[], [-0.1, 3, 1e300], [0]].randomElement(using: &$0) }
        scrap.kinds = maybe { [[], [.water, .air], [.air]].randomElement(using: &$0) }
        return scrap
    }
}

struct ScrapsService: FeatureService {
    private let table = EntityTable<Scrap>()
    var migrations: [StoreMigration] { table.migrations }
    var syncedCollections: [any SyncedCollection] { [table] }
    func mount(on routes: inout APIRoutes) { table.mount(on: &routes) }
}

/// The entities of an offline store, and that store.
func offline<Content: Entity>(
    _ name: String, in directory: TemporaryDirectory, of entity: Content.Type = Scrap.self
) async throws -> (repository: OfflineEntityRepository<Content>, store: OfflineStore) {
    let database = try await OfflineDatabase.open(
        at: directory.file(name), collections: [OfflineEntityRepository<Content>.collection], log: .silent)
    let store = OfflineStore(database: database)
    return (OfflineEntityRepository<Content>(store, command: "x \(Content.commandName)", sync: {}), store)
}

typealias ScrapCommands = TransferCommands<Scrap>

/// Runs the commands of an entity as the program does.
struct TransferCommands<Content: Entity> {
    struct Group: ParsableCommand {
        static var configuration: CommandConfiguration {
            CommandConfiguration(commandName: Content.commandName, subcommands: Content.commands)
        }
    }

    struct Result: Sendable {
        let status: Int32
        let output: String
        let errors: String
    }

    let repository: any EntityRepository<Content>

    @discardableResult
    func callAsFunction(_ words: String..., input: String = "", json: Bool = false) async throws -> Result {
        let (console, output, errors) = Console.inMemory(json: json, input: MemoryInput(input))
        let command = try #require(try Group.parseAsRoot(words) as? any EntityCommand<Content>)
        var status = ExitStatus.done
        do { try await command.run(EntityUseCases(repository), console) } catch let error
            where error is DomainError || error is CommandFailure
        { status = console.fail(error) }
        return Result(status: status.rawValue, output: output.text, errors: errors.text)
    }
}
