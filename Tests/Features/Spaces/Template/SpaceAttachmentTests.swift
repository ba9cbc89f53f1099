import AttachmentsService
import JournalService
import SpacesService
import StrataDomain
import StrataFeatureTesting
import StrataTesting
import Testing

/// Files of an entity of a space, with the roles of spaces.
struct SpaceAttachmentTests {
    @Test func `every route of the files of a card answers each role as the table says`() async throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let files = AttachmentsService(directory: directory.file("files"), alsoOf: Card.self)
        let matrix = SpaceMatrix(
            features: [SpacesService(), CardsService(), JournalService(), files],
            rows: SpaceMatrix.rows + SpaceMatrix.attachments, addition: .attachments)
        #expect(try await matrix.failures(asking: SpaceMatrix.attachments) == [])
    }
}
