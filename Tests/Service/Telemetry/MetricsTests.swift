import Foundation
import HTTPTypes
import Metrics
import StrataConcurrency
import StrataDomain
import StrataFeatureTesting
import StrataTesting
import Testing

@testable import StrataService

@Suite struct MetricsTests {
    @Test func `requests are counted by route, never by path`() async throws {
        try await withService { _, client in
            for id in ["a", "b", "c"] { _ = try await client.send(.get, "/v1/notes/\(id)") }
            _ = try await client.send(.get, "/no/such/\(UUID())")
            _ = try await client.send(HTTPRequest.Method("BREW") ?? .trace, "/open")
            let reply = try await client.send(.get, "/metrics", as: nil)
            #expect(reply.headers[.contentType] == "text/plain; version=0.0.4; charset=utf-8")
            let lines = reply.text.split(separator: "\n").map(String.init)
            #expect(lines.contains(#"tides_http_requests_total{method="GET",route="/v1/notes/{id}",status="404"} 3"#))
            #expect(lines.contains(#"tides_http_requests_total{method="GET",route="unmatched",status="404"} 1"#))
            #expect(lines.contains(#"tides_http_requests_total{method="other",route="/open",status="405"} 1"#))
            #expect(lines.contains("# TYPE tides_http_request_duration_seconds histogram"))
            #expect(
                lines.contains(
                    #"tides_http_request_duration_seconds_count{method="GET",route="/v1/notes/{id}"} 3"#))
            #expect(
                lines.contains(
                    #"tides_http_request_duration_seconds_bucket{method="GET",route="/v1/notes/{id}",le="+Inf"} 3"#))
        }
    }

    /// Everything that `/metrics` says after one request.
    private func scrape() async throws -> [String] {
        let text = Mutex("")
        try await withService { _, client in
            _ = try await client.send(.get, "/open")
            let reply = try await client.send(.get, "/metrics", as: nil)
            text.withLock { $0 = reply.text }
        }
        return text.withLock { $0 }.split(separator: "\n").map(String.init)
    }

    /// The value of a series without labels.
    private func value(of name: String, in lines: [String]) -> Double? {
        guard let line = lines.first(where: { $0.hasPrefix("\(name) ") }) else { return nil }
        return Double(line.dropFirst(name.count + 1))
    }

    @Test(.enabled(if: StoreEngine.chosen.isSQLite, "names the metrics of a file"))
    func `every metric of requests, database and process has HELP`() async throws {
        let lines = try await scrape()
        let names = lines.filter { $0.hasPrefix("# TYPE ") }.map { String($0.split(separator: " ")[2]) }
        #expect(Set(names).count == names.count)
        let described = lines.filter { $0.hasPrefix("# HELP ") }.map { String($0.split(separator: " ")[2]) }
        #expect(described == names)
        for name in [
            "process_resident_memory_bytes", "process_virtual_memory_bytes", "process_open_fds", "process_max_fds",
            "process_cpu_seconds_total", "process_start_time_seconds", "process_threads", "tides_database_usable",
            "tides_database_size_bytes", "tides_database_wal_size_bytes", "tides_database_commits_total",
        ] {
            let value = value(of: name, in: lines) ?? 0
            #expect(value > 0, "\(name)")
        }
        #expect(value(of: "tides_database_busy_total", in: lines) == 0)
        let start = value(of: "process_start_time_seconds", in: lines) ?? 0
        let age = Date().timeIntervalSince1970 - start
        #expect(age > -5 && age < 7200, "\(age)")
    }

    @Test func `HELP text is one line`() {
        let registry = PrometheusRegistry(prefix: "t_")
        registry.describe("level", "first \\ line\nsecond")
        Gauge(label: "level", factory: registry).record(1)
        #expect(registry.text() == "# HELP t_level first \\\\ line\\nsecond\n# TYPE t_level gauge\nt_level 1\n")
    }

    @Test func `every line of the text matches the format`() {
        let registry = PrometheusRegistry(prefix: "t_")
        Counter(label: "9 odd-name", dimensions: [("a b", "quote \" slash \\ line \n end")], factory: registry)
            .increment()
        Gauge(label: "level", factory: registry).record(-1.5)
        Timer(label: "took", dimensions: [("k", "v")], factory: registry).recordSeconds(0.2)
        Recorder(label: "sizes", factory: registry).record(500)
        Meter(label: "now", factory: registry).set(Double.infinity)
        FloatingPointCounter(label: "parts", factory: registry).increment(by: 0.5)
        let sample =
            /[a-zA-Z_:][a-zA-Z0-9_:]*(\{([a-zA-Z_][a-zA-Z0-9_]*="([^"\\]|\\.)*",?)*\})? (\+Inf|-Inf|NaN|-?[0-9.e+-]+)/
        let type = /# TYPE [a-zA-Z_:][a-zA-Z0-9_:]* (counter|gauge|histogram)/
        let lines = registry.text().split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        #expect(lines.count > 30)
        for line in lines { #expect(line.wholeMatch(of: sample) != nil || line.wholeMatch(of: type) != nil, "\(line)") }
    }

    @Test func `a histogram's buckets add up`() {
        let registry = PrometheusRegistry()
        let timer = Timer(label: "took", factory: registry)
        for milliseconds in [1, 3, 30, 300, 90_000] { timer.recordMilliseconds(Int64(milliseconds)) }
        let text = registry.text()
        #expect(text.contains("took_bucket{le=\"0.001\"} 1\n"))
        #expect(text.contains("took_bucket{le=\"0.05\"} 3\n"))
        #expect(text.contains("took_bucket{le=\"30\"} 4\n"))
        #expect(text.contains("took_bucket{le=\"+Inf\"} 5\n"))
        #expect(text.contains("took_count 5\n"))
    }

    @Test func `a prefix is put on once`() {
        let registry = PrometheusRegistry(prefix: "tides_")
        Counter(label: "tides_a_total", factory: registry).increment()
        Counter(label: "b_total", factory: registry).increment()
        #expect(registry.text().contains("\ntides_a_total 1\n") && registry.text().contains("\ntides_b_total 1\n"))
    }

    @Test func `every increment is counted, although tasks make, use and read the series at once`() async {
        let registry = PrometheusRegistry()
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for index in 0..<5000 {
                        Counter(label: "c", dimensions: [("i", "\(index % 10)")], factory: registry).increment()
                        FloatingPointCounter(label: "f", factory: registry).increment(by: 0.5)
                        Meter(label: "m", factory: registry).increment(by: task.isMultiple(of: 2) ? 1.0 : -1.0)
                        Timer(label: "t", factory: registry).recordMilliseconds(Int64(1))
                        if index % 1000 == 0 { _ = registry.text() }
                    }
                }
            }
        }
        let lines = Set(registry.text().split(separator: "\n").map(String.init))
        #expect(lines.isSuperset(of: (0..<10).map { "c{i=\"\($0)\"} 4000" }))
        #expect(lines.isSuperset(of: ["f 20000", "m 0", "t_count 40000", "t_bucket{le=\"+Inf\"} 40000"]))
    }

    @Test func `the number of series is bounded and a name has one kind`() {
        let registry = PrometheusRegistry(maxSeries: 10)
        for index in 0..<100 { Counter(label: "c", dimensions: [("i", "\(index)")], factory: registry).increment() }
        #expect(registry.text().split(separator: "\n").count == 11)
        Gauge(label: "c", factory: registry).record(5)
        #expect(!registry.text().contains("gauge"))
    }
}
