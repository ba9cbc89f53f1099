import FoundationEssentials
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

/// What a retry makes of a form.
struct FormReplayTests {
    /// Reads the body it is sent, notes it, and answers with `status`.
    private func reading(_ status: Int, into sent: Shared<[Data]>) -> ScriptedTransport.Answer {
        ScriptedTransport.Answer { request in
            var bytes = Data()
            for try await chunk in try #require(try await request.body?.open()) { bytes.append(chunk) }
            sent.change { [bytes] in $0.append(bytes) }
            return ClientResponse(
                ResponseHead(status: status, headers: ["Content-Type": "application/json"]),
                body: ResponseBody(Data(tideJSON.utf8)))
        }
    }

    private func text(isReplayable: Bool, opened: Tally) -> FormPart {
        let body = UploadBody.stream(length: 13, isReplayable: isReplayable) {
            opened.add()
            return try await UploadBody.bytes(Data("Hello, World!".utf8)).open()
        }
        return FormPart("text", body: body)
    }

    @Test func `a form is sent twice, byte for byte`() async throws {
        let (sent, opened) = (Shared<[Data]>([]), Tally())
        let bench = try Bench(reading(503, into: sent), reading(200, into: sent))
        let body = try MultipartForm([text(isReplayable: true, opened: opened)]).body(boundary: "B")
        async let answer = bench.client.upload(AddTide(), body: body, options: CallOptions(idempotencyKey: "k"))
        await bench.clock.waitForSleeper(dueIn: .milliseconds(500))
        bench.clock.advance(by: .milliseconds(500))
        #expect(try await answer.value == tide)
        let form = Data(
            "--B\r\nContent-Disposition: form-data; name=\"text\"\r\n\r\nHello, World!\r\n--B--\r\n".utf8)
        #expect(sent.value == [form, form])
        #expect(body.length == form.count)
        #expect(opened.value == 2)
    }

    @Test func `a form with a part that cannot be read again is sent once, key or not`() async throws {
        let (sent, opened) = (Shared<[Data]>([]), Tally())
        let bench = try Bench(reading(503, into: sent))
        let parts: [FormPart] = [.field("a", "1"), text(isReplayable: false, opened: opened)]
        let body = try MultipartForm(parts).body(boundary: "B")
        #expect(!body.isReplayable)
        let failure = await #expect(throws: NetworkError.self) {
            _ = try await bench.client.upload(AddTide(), body: body, options: CallOptions(idempotencyKey: "k"))
        }
        #expect(failure?.kindText.hasPrefix("server") == true)
        #expect(sent.value.count == 1)
        #expect(opened.value == 1)
        #expect(body.length == sent.value.first?.count)
    }
}
