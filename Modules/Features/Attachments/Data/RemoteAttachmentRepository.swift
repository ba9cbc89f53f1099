import AttachmentsAPI
package import AttachmentsDomain
package import StrataDomain

/// Attachments of one kind of entity at the server; content streams from and to files.
package struct RemoteAttachmentRepository<Parent: Entity>: AttachmentRepository {
    private let client: any APIClient
    private let uploader: any Uploader
    private let resumable: (any ResumableUploader)?
    private let downloader: any Downloader
    private let bodies: any FileBodies
    private let times: TransferTimes

    /// - Parameters:
    ///   - client: Sends with the session's token, as do `uploader`, `resumable` and `downloader`.
    ///   - resumable: Sends files of more than 1 MiB. `nil` sends every file as a form, which begins anew after a failure.
    ///   - bodies: Reads the files that are sent.
    ///   - deadline: Total time of one transfer. Default: by its size.
    package init(
        client: any APIClient, uploader: any Uploader, resumable: (any ResumableUploader)? = nil,
        downloader: any Downloader, bodies: any FileBodies, deadline: Duration? = nil
    ) {
        self.client = client
        self.uploader = uploader
        self.resumable = resumable
        self.downloader = downloader
        self.bodies = bodies
        times = TransferTimes(deadline: deadline)
    }

    package func add(
        _ file: LocalFile, to parent: Identifier<Parent>, progress: TransferProgress?
    ) async throws(DomainError) -> (attachment: Attachment<Parent>, resumedFrom: Int64) {
        let key = UploadKey(file, parent)
        var options = times.upload(bytes: file.size)
        options.idempotencyKey = key.text
        let (attachment, resumedFrom): (Attachment<Parent>, Int64)
        if let sent = try await resume(file, to: parent, progress, options) {
            (attachment, resumedFrom) = (sent.response.value, sent.resumedFrom)
        } else {
            (attachment, resumedFrom) = (try await send(file, as: key, to: parent, progress, options), 0)
        }
        guard attachment.digest == file.digest, attachment.size == file.size else {
            throw .conflict(
                "'\(file.path)' changed while it was sent: what arrived is attachment '\(attachment.id)' of "
                    + "\(attachment.size) bytes. Attach the file again when nothing writes to it any more.")
        }
        return (attachment, resumedFrom)
    }

    /// Sends the file as a form, in one request.
    private func send(
        _ file: LocalFile, as key: UploadKey, to parent: Identifier<Parent>, _ progress: TransferProgress?,
        _ options: CallOptions
    ) async throws(DomainError) -> Attachment<Parent> {
        do throws(NetworkError) {
            let content = try await bodies.body(ofFileAt: file.path, contentType: file.mediaType)
            let part = FormPart.file(UploadAttachment<Parent>.partName, named: file.name.text, content)
            var body = try MultipartForm([part]).body(boundary: key.boundary)
            if let progress { body = body.counted(by: progress) }
            return try await uploader.upload(UploadAttachment(id: parent), body: body, options: options).value
        } catch {
            throw .upload(error, of: file, to: parent)
        }
    }

    /// Sends a large file so that it can be resumed.
    ///
    /// - Returns: `nil` for a small file, and when the server cannot resume uploads.
    private func resume(
        _ file: LocalFile, to parent: Identifier<Parent>, _ progress: TransferProgress?, _ options: CallOptions
    ) async throws(DomainError) -> UploadedFile<Attachment<Parent>>? {
        guard let resumable, file.size > Self.largestForm else { return nil }
        let request = UploadRequest(
            path: file.path, fileName: file.name.text, contentType: file.mediaType, digest: file.digest,
            progress: progress)
        do throws(NetworkError) {
            return try await resumable.upload(UploadAttachment(id: parent), request, options: options)
        } catch {
            throw .upload(error, of: file, to: parent, isKept: true)
        }
    }

    package func list(_ parent: Identifier<Parent>, limit: Int?) async throws(DomainError) -> [Attachment<Parent>] {
        try await CursorPage.all(upTo: limit ?? .max) { cursor throws(DomainError) in
            let page = min(limit ?? Self.pageSize, Self.pageSize)
            do throws(NetworkError) {
                return try await client.send(ListAttachments(id: parent, cursor: cursor, limit: page))
            } catch { throw .attachments(error, missing: Self.missing(parent)) }
        }
    }

    package func get(_ id: Attachment<Parent>.ID) async throws(DomainError) -> Attachment<Parent> {
        do throws(NetworkError) { return try await client.send(GetAttachment(id: id)) } catch {
            throw .attachments(error, missing: Self.missing(id))
        }
    }

    package func download(
        _ attachment: Attachment<Parent>, to path: String, progress: TransferProgress?
    ) async throws(DomainError) -> Int64 {
        let request = DownloadRequest(path: path, digest: attachment.digest, progress: progress)
        do throws(NetworkError) {
            return try await downloader.download(
                AttachmentContent(id: attachment.id), request, options: times.download(bytes: attachment.size)
            ).resumedFrom
        } catch {
            throw .download(error, of: attachment, to: path)
        }
    }

    private static var pageSize: Int { 500 }
    /// Largest file that is sent as a form: 1 MiB. To send it again costs less than to ask how much arrived.
    private static var largestForm: Int64 { 1 << 20 }

    static func missing(_ parent: Identifier<Parent>) -> String {
        "The server has no \(Parent.noun) '\(parent)'; 'shiftlog \(Parent.commandName) list' shows those there are."
    }

    static func missing(_ id: Attachment<Parent>.ID) -> String {
        let names = AttachmentNames<Parent>.self
        return
            "The server has no \(names.noun) '\(id)'; 'shiftlog \(names.path) list \(names.word.uppercased())' shows those of "
            + "\(names.aWord)."
    }
}
