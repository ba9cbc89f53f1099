import Foundation
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

/// Files that other programs write.
struct BrowserHARTests {
    private let recordings: Recordings

    init() throws { recordings = try Recordings() }

    /// As Chrome writes an exchange over HTTP/2.
    private let chrome = #"""
        {"_initiator":{"type":"other"},"_priority":"High","connection":"443","cache":{},
        "request":{"method":"GET","url":"http://tides.test/list?a=%C3%A4","httpVersion":"http/2.0","headers":[
        {"name":":authority","value":"tides.test"},{"name":":method","value":"GET"},{"name":"accept-encoding","value":"gzip"}],
        "queryString":[{"name":"a","value":"%C3%A4"}],"cookies":[],"headersSize":-1,"bodySize":0},
        "response":{"status":200,"statusText":"","httpVersion":"http/2.0","headers":[
        {"name":":status","value":"200"},{"name":"content-encoding","value":"br"},{"name":"content-length","value":"5"},
        {"name":"content-type","value":"application/json; charset=utf-8"},{"name":"set-cookie","value":"a=1\nb=2"}],
        "cookies":[],"content":{"size":9,"mimeType":"application/json","text":"eyJhIjoiw6QifQ==","encoding":"base64"},
        "redirectURL":"","headersSize":-1,"bodySize":-1,"_transferSize":103,"_error":null},
        "startedDateTime":"2026-03-01T10:00:00.123Z","time":12.345,"timings":{"blocked":-1,"send":0.1,"wait":10}}
        """#

    /// As Firefox writes a form.
    private let firefox = #"""
        {"startedDateTime":"2026-03-01T11:00:00.123+01:00","request":{"bodySize":13,"method":"POST",
        "url":"http://tides.test/form","httpVersion":"HTTP/2","headers":[{"name":"Content-Type","value":"application/x-www-form-urlencoded"}],
        "cookies":[],"queryString":[],"headersSize":500,"postData":{"mimeType":"application/x-www-form-urlencoded",
        "params":[{"name":"a b","value":"1&2"}]}},
        "response":{"status":304,"statusText":"Not Modified","httpVersion":"HTTP/2","headers":[{"name":"etag","value":"\"1\""}],
        "content":{"mimeType":"text/plain","size":4,"text":"left"},"redirectURL":"","bodySize":0},"cache":{},"timings":{},"time":3}
        """#

    @Test func `an exchange of HTTP 2 is read without its pseudo-fields, decoded`() async throws {
        try recordings.write(chrome, before: [0xEF, 0xBB, 0xBF])
        let response = try await recordings.client(recordings.replay()).collect(RawRequest(.get, "/list?a=%C3%A4"))
        #expect(response.bytes == Data(#"{"a":"ä"}"#.utf8))
        #expect(
            response.head.headers.map(\.name) == ["content-type", "set-cookie", "set-cookie"],
            "\(response.head.headers)")
        #expect(response.head.headers.values("Set-Cookie") == ["a=1", "b=2"])
        #expect(response.head.reason == nil)
    }

    @Test func `a form of fields is compared, and a 304 has no body`() async throws {
        try recordings.write(firefox)
        let body = UploadBody.bytes(Data("a+b=1%262".utf8), contentType: MediaType.form)
        let response = try await recordings.client(recordings.replay()).collect(RawRequest(.post, "/form", body: body))
        #expect(response.head.status == 304 && response.bytes.isEmpty)
        #expect(response.head.headers["ETag"] == "\"1\"")
    }

    @Test func `what is no request is left out, and keeps its number`() async throws {
        try recordings.write(
            #"{"request":{"method":"GET","url":"data:text/plain,a"},"response":{"status":200}}"#, "null", "{}",
            #"{"request":{"method":"GET","url":"http://tides.test/bare"}}"#,
            #"{"request":{"method":"GET","url":"http://tides.test/empty"},"response":{"status":204}}"#)
        let replay = try recordings.replay()
        #expect(
            replay.unused == ["entry 4, GET http://tides.test/bare", "entry 5, GET http://tides.test/empty"])
        let client = try recordings.client(replay)
        #expect(try await client.collect(RawRequest(.get, "/empty")).head.status == 204)
    }

    @Test func `a blocked request is a failure of its connection`() async throws {
        try recordings.write(
            #"{"request":{"method":"POST","url":"http://tides.test/a"},"response":{"status":0,"_error":"net::ERR_FAILED"}}"#
        )
        let failure = await recordings.failure(of: RawRequest(.post, "/a"))
        #expect(failure.contains("the connection was lost when this was recorded"), "\(failure)")
    }

    @Test func `a body that the browser did not keep is an error that says so`() async throws {
        try recordings.write(
            #"{"request":{"method":"GET","url":"http://tides.test/a"},"response":{"status":200,"content":{"size":7}}}"#)
        let failure = await recordings.failure(of: RawRequest(.get, "/a"))
        #expect(failure.contains("does not hold this body"), "\(failure)")
    }

    @Test(arguments: [
        "", "{}", "[]", "not JSON", #"{"log":{}}"#, #"{"log":{"entries":{}}}"#, #"{"log":{"entries":[1]}}"#,
    ])
    func `a file without a recording is an error with its path`(text: String) throws {
        try recordings.directory.write("tides.har", Data(text.utf8))
        let error = #expect(throws: RecordingError.self) { try recordings.replay() }
        #expect(error?.description.contains("tides.har") == true)
    }

    @Test func `a missing file is an error that says how to make one`() {
        let error = #expect(throws: RecordingError.self) { try ReplayTransport(har: "/none/x.har") }
        #expect(error?.description.contains("There is no recording '/none/x.har'") == true)
    }
}

extension Recordings {
    /// Why the replay of the file fails for a request.
    fileprivate func failure(of request: RawRequest) async -> String {
        do { return await (try client(replay())).failure(request) } catch { return "\(error)" }
    }
}
