import FoundationEssentials
import StrataDomain

/// An endpoint whose body is received as it arrives, its types erased.
struct UploadEndpoint: Sendable {
    /// What the body is, for the OpenAPI document.
    enum Content: Sendable {
        /// A form with one file.
        ///
        /// - Parameter isResumable: Whether the file alone may be sent, too, in several requests.
        case form(part: String, isResumable: Bool)
        /// A part of the content of a resumable upload.
        case partial
    }

    let content: Content
    let run: @Sendable (EndpointInput, IncomingBody) async throws -> EncodedResponse

    /// An endpoint that takes forms only.
    init<H: UploadHandler>(_ handler: H, _ encoder: ResponseEncoder<H.Call>) {
        content = .form(part: handler.partName, isResumable: false)
        run = Self.form(handler, encoder)
    }

    /// An endpoint that takes forms, and creates resumable uploads.
    init<H: ResumableUploadHandler>(_ handler: H, _ encoder: ResponseEncoder<H.Call>, _ uploads: ResumableUploads<H>) {
        content = .form(part: handler.partName, isResumable: true)
        let form = Self.form(handler, encoder)
        run = { input, body in
            body.isResumable ? try await uploads.create(input, body) : try await form(input, body)
        }
    }

    /// The endpoint that continues a resumable upload.
    init<H: ResumableUploadHandler>(_ uploads: ResumableUploads<H>) {
        content = .partial
        run = { input, body in try await uploads.append(input, body) }
    }

    /// Refuses a form, if it must be refused, before its body is read.
    private static func form<H: UploadHandler>(
        _ handler: H, _ encoder: ResponseEncoder<H.Call>
    ) -> @Sendable (EndpointInput, IncomingBody) async throws -> EncodedResponse {
        { input, body in
            let receiver = try body.form(contentLimit: handler.contentLimit)
            let call = try H.Call(input.parts)
            try await input.store.read { reader in try handler.admit(call, input.scope, in: reader) }
            let received = try await receiver.receive { form in try await handler.receive(call, form, input.scope) }
            do {
                let claim = input.claim?.with(payload: handler.fingerprint(of: received))
                let (response, isReplay) = try await input.write(claim: claim) { transaction in
                    let response = try handler.commit(call, received, input.scope, in: transaction)
                    return try encoder.encode(response, to: input.target)
                }
                if isReplay { await handler.discard(received) }
                return response
            } catch {
                // Any other failure may follow the commit. The content then stays until maintenance has checked it.
                if error is ServiceError { await handler.discard(received) }
                throw error
            }
        }
    }
}
