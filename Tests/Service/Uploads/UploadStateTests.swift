import Foundation
import StrataDomain
import Testing

@testable import StrataService

/// Which requests continue an upload.
@Suite struct UploadStateTests {
    private func code(
        _ state: UploadState, _ claim: UploadState.Claim
    ) -> String {
        do throws(ServiceError) { return "\(try state.check(claim).map(String.init) ?? "unknown")" } catch {
            return "\(error.problem.status) \(error.problem.code ?? "")"
        }
    }

    private func claim(
        _ isLast: Bool = false, at offset: Int? = 10, total: Int? = nil, bytes: Int? = 5
    ) -> UploadState.Claim {
        UploadState.Claim(isLast: isLast, offset: offset, total: total, bytes: bytes)
    }

    @Test func `bytes at the offset are taken, and any other offset is 409 with the right one`() {
        let state = UploadState(received: 10, total: nil, limit: 100)
        #expect(code(state, claim()) == "unknown")
        for offset in [0, 9, 11, .max] {
            #expect(code(state, claim(at: offset)) == "409 upload_offset_mismatch")
        }
        let error = #expect(throws: ServiceError.self) { try state.check(claim(at: 0)) }
        #expect(error?.headers["Upload-Offset"] == "10")
        #expect(error?.problem.type.hasSuffix("#mismatching-upload-offset") == true)
    }

    @Test func `the length is known from the last request or from its field`() {
        let state = UploadState(received: 10, total: nil, limit: 100)
        #expect(code(state, claim(true)) == "15")
        #expect(code(state, claim(true, bytes: nil)) == "unknown")
        #expect(code(state, claim(total: 40)) == "40")
        #expect(code(state, claim(true, total: 15)) == "15")
        #expect(code(UploadState(received: 10, total: 40, limit: 100), claim()) == "40")
        #expect(code(UploadState(received: 10, total: 10, limit: 100), claim(true, bytes: 0)) == "10")
    }

    @Test func `lengths that contradict each other are 400`() {
        let open = UploadState(received: 10, total: nil, limit: 100)
        let known = UploadState(received: 10, total: 40, limit: 100)
        #expect(code(open, claim(true, total: 16)) == "400 upload_length_mismatch")
        #expect(code(open, claim(total: 14)) == "400 upload_length_mismatch")
        #expect(code(known, claim(true)) == "400 upload_length_mismatch")
        #expect(code(known, claim(total: 41)) == "400 upload_length_mismatch")
        #expect(code(known, claim(bytes: 31)) == "400 upload_length_mismatch")
        #expect(code(known, claim(bytes: 30)) == "40")
    }

    @Test func `more than the limit is 413 before a byte is read, also where the sum has no number`() {
        let state = UploadState(received: 10, total: nil, limit: 100)
        #expect(code(state, claim(bytes: 90)) == "unknown")
        for claim in [claim(bytes: 91), claim(total: 101), claim(true, bytes: .max), claim(bytes: .max)] {
            #expect(code(state, claim) == "413 body_too_large")
        }
        let error = #expect(throws: ServiceError.self) { try state.check(claim(bytes: 91)) }
        #expect(error?.headers["Upload-Limit"] == "max-size=100")
    }

    @Test func `bytes in chunks are bounded as they arrive`() throws {
        let open = UploadState(received: 10, total: nil, limit: 100)
        try open.checkBytes(to: 100)
        #expect(throws: ServiceError.self) { try open.checkBytes(to: 101) }
        let known = UploadState(received: 10, total: 40, limit: 100)
        try known.checkBytes(to: 40)
        let error = #expect(throws: ServiceError.self) { try known.checkBytes(to: 41) }
        #expect(error?.problem.code == "upload_length_mismatch")
    }

    @Test func `an upload ends with its length`() throws {
        try UploadState(received: 10, total: nil, limit: 100).checkEnd()
        try UploadState(received: 10, total: 10, limit: 100).checkEnd()
        #expect(throws: ServiceError.self) { try UploadState(received: 10, total: 11, limit: 100).checkEnd() }
    }

    @Test func `a complete upload takes nothing: 410 for no bytes, 400 for some`() {
        let state = UploadState(received: 10, total: 10, isComplete: true, limit: 100)
        #expect(code(state, claim(true, bytes: 0)) == "410 upload_completed")
        #expect(code(state, claim(true, bytes: 5)) == "400 upload_length_mismatch")
        #expect(code(state, claim(true, at: 3, bytes: nil)) == "400 upload_length_mismatch")
    }
}
