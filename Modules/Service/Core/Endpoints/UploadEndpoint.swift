import FoundationEssentials
import StrataDomain

/// An `UploadHandler`, its types erased.
struct UploadEndpoint: Sendable {
    let contentLimit: Int
    let partName: String
    let admit: @Sendable (EndpointInput) async throws -> Void
    let run: @Sendable (EndpointInput, UploadReceiver) async throws -> EncodedResponse

    init<H: UploadHandler>(_ handler: H, _ encoder: ResponseEncoder<H.Call>) {
        (contentLimit, partName) = (handler.contentLimit, handler.partName)
        admit = { input in
            let call = try H.Call(input.parts)
            try await input.store.read { reader in try handler.admit(call, input.scope, in: reader) }
        }
        run = { input, receiver in
            let call = try H.Call(input.parts)
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
