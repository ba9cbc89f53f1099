import ArgumentParser
import AttachmentsDomain
import AttachmentsPresentation
import Foundation
import StrataConcurrency
import StrataDomain
import StrataFeatureTesting
import StrataTerminal
import StrataTesting
import Testing

/// `shift-attachments`: the commands of the journal's files for an entity of the owner's own.
struct ShiftAttachmentCommandTests {
    private typealias File = AttachmentsDomain.Attachment<Shift>

    /// The files of the one shift `s1`, in memory.
    private final class Shelf: AttachmentRepository {
        typealias Parent = Shift
        private let files = Mutex<[File]>([])

        func add(
            _ file: LocalFile, to parent: Shift.ID, progress: TransferProgress?
        ) async throws(DomainError) -> (attachment: File, resumedFrom: Int64) {
            let attachment = File(
                id: File.ID("f1"), parentId: parent, fileName: file.name, mediaType: file.mediaType, size: file.size,
                digest: file.digest, createdAt: .noon)
            files.withLock { $0.append(attachment) }
            return (attachment, 0)
        }

        func list(_ parent: Shift.ID, limit: Int?) async throws(DomainError) -> [File] {
            files.withLock { $0.filter { $0.parentId == parent } }
        }

        func get(_ id: File.ID) async throws(DomainError) -> File {
            guard let file = files.withLock({ $0.first { $0.id == id } }) else { throw .notFound("No file '\(id)'.") }
            return file
        }

        func download(
            _ attachment: File, to path: String, progress: TransferProgress?
        ) async throws(DomainError) -> Int64 { 0 }
    }

    private func tools(
        version: Int, settle: @escaping @Sendable () async -> Void = {}
    ) -> AttachmentsDomain.Attachments<Shift> {
        let shift = Stored<Shift>(
            id: Shift.ID("s1"), Shift(spaceId: Crew.ID("c1"), title: "Night"), version: version, updatedAt: .noon,
            syncState: version == 0 ? .queued : .synced)
        let book = MemoryEntityRepository<Shift>([shift])
        book.change { $0.origin = .local }
        return AttachmentsDomain.Attachments<Shift>(Shelf(), files: PlainFiles()) { () throws(DomainError) in
            AttachmentParents(EntityUseCases(book), settle: settle)
        }
    }

    @Test func `a file is added and listed under the words of the entity`() async throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("plan.txt", Data("x".utf8))
        let tools = tools(version: 1)
        let (console, output, errors) = Console.inMemory()
        try await ResourceListCommand<File>.parse(["s1"]).run(tools, console)
        #expect(errors.text.contains("shift-attachments add s1 FILE"))
        try await AttachmentsPresentation.AttachmentAddCommand<Shift>.parse(["s1", path]).run(tools, console)
        #expect(output.text == "f1  attached\n")
        let (programs, document, _) = Console.inMemory(json: true)
        try await ResourceListCommand<File>.parse(["s1", "--json"]).run(tools, programs)
        #expect(document.text.contains(#""shift_id":"s1""#))
    }

    @Test func `a shift that is only here is sent first, or the next step is to synchronise`() async throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("plan.txt", Data("x".utf8))
        let settled = Mutex(0)
        let tools = tools(version: 0) { settled.withLock { $0 += 1 } }
        let error = await #expect(throws: DomainError.self) { try await tools.add(path, to: Shift.ID("s1")) }
        guard case .unavailable(let text)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(text.hasPrefix("Shift 's1' is on this machine only") && settled.withLock { $0 } == 1)
    }

    @Test func `the group has the name of the files' path, and its help the words of the entity`() {
        let group = AttachmentsPresentation.AttachmentsGroup<Shift>.self
        #expect(group.configuration.commandName == "shift-attachments")
        #expect(group.configuration.abstract == "Manage files attached to shifts.")
        let add = AttachmentsPresentation.AttachmentAddCommand<Shift>.helpMessage()
        #expect(add.contains("Attach a file to a shift.") && add.contains("<shift> <file>"))
        #expect(add.contains("shift-attachments add 9f2c41d screenshot.png"))
    }

    private struct LabReport: Entity {
        static let noun = "lab report"
        static let collection = "lab_reports"
        static let fields: [EntityField<LabReport>] = [.init("title", \.title, .line(1...80))]
        var title: String
    }

    private struct Order: Entity {
        static let noun = "order"
        static let collection = "orders"
        static let fields: [EntityField<Order>] = [.init("title", \.title, .line(1...80))]
        var title: String
    }

    @Test func `names follow from the noun of the entity`() {
        let names = AttachmentNames<LabReport>.self
        #expect(names.noun == "lab report attachment" && names.path == "lab-report-attachments")
        #expect(names.table == "lab_report_attachment" && names.column == "lab_report_id")
        #expect(names.member == "labReportId" && names.schema == "LabReportAttachment")
        #expect(names.word == "report" && names.aWord == "a report" && names.aParent == "a lab report")
        #expect(AttachmentNames<Order>.aWord == "an order")
    }
}
