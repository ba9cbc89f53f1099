import Foundation
import Testing

@testable import ScaffoldKit

/// What the flags `--compose`, `--container`, `--devcontainer` and `--seed` of `new-service` bring, made of this repository.
struct ExtraTests {
    /// Files of each, and words that stand in no other service.
    private static let known: [Extra: (files: Set<String>, words: [String])] = [
        .compose: (
            [
                "compose.yaml", "Scripts/compose", "Docs/Packaging/compose/README.md",
                "Docs/Packaging/compose/prometheus.yml", "Docs/Packaging/compose/alerts.yml",
                "Docs/Packaging/compose/datasource.yml",
                "Docs/Packaging/compose/dashboards.yml", "Docs/Packaging/compose/dashboard.json",
            ], ["scripts/compose", "compose.yaml", "grafana"]
        ),
        .container: (
            ["Docs/Packaging/Containerfile", "Docs/Packaging/Containerfile.dockerignore"], ["containerfile", "podman"]
        ),
        .devcontainer: (
            [".devcontainer/devcontainer.json", ".devcontainer/Dockerfile"], ["devcontainer"]
        ),
        .seed: (["Scripts/seed"], ["scripts/seed"]),
    ]

    private func files(
        _ extras: [Extra], features: String = "none", strata: StrataOrigin = .path(repositoryRoot), port: Int = 8080
    ) throws -> [String: FileContents] {
        let tree = try TemplateTree.checkedOut(at: repositoryRoot)
        return try ServiceRenderer().render(
            ServiceSpec(
                name: "OrderDesk", features: try tree.chosen(features), strata: strata, port: port, extras: extras),
            from: tree)
    }

    @Test(arguments: ["none", "demo"])
    func `a service without extras has no trace of them`(features: String) throws {
        for (path, contents) in try files([], features: features) {
            for (_, words) in Self.known.values {
                for word in words {
                    #expect(!path.lowercased().contains(word), "\(path)")
                    #expect(contents.text?.lowercased().contains(word) != true, "\(path): \(word)")
                }
            }
        }
    }

    @Test(arguments: Extra.allCases)
    func `an extra brings its files, a word in the first page, and nothing of another`(extra: Extra) throws {
        let without = try files([])
        let with = try files([extra])
        let brought = Extra.all(of: [extra])
        #expect(
            Set(with.keys).subtracting(without.keys) == Set(brought.compactMap { Self.known[$0]?.files }.joined()))
        let changed = Set(without.filter { with[$0.key] != $0.value }.keys)
        let pages = brought.contains(.container) ? ["Docs/Packaging/README.md", "README.md"] : ["README.md"]
        #expect(changed == Set([TemplateRecord.path] + pages))
        for (path, contents) in with where path != TemplateRecord.path {
            for other in Extra.allCases where !brought.contains(other) {
                for word in Self.known[other]?.words ?? [] {
                    #expect(contents.text?.lowercased().contains(word) != true, "\(path): \(word)")
                }
            }
        }
    }

    @Test func `all extras together are under the service's name, at its port`() throws {
        let files = try files(Extra.allCases, features: "demo", port: 9091)
        for (path, contents) in files {
            let text = (contents.text ?? "").lowercased()
            for word in ["shiftlog", "scaffold:only ", "scaffold:end-only"] {
                #expect(!text.contains(word) && !path.lowercased().contains(word), "\(path): \(word)")
            }
        }
        #expect(Set(files.keys).isSuperset(of: Self.known.values.flatMap(\.files)))
        let compose = try #require(files["compose.yaml"]?.text)
        #expect(compose.contains("127.0.0.1:9091:9091") && compose.contains("ORDER_DESK_CONFIG_FILE"))
        #expect(
            files["Docs/Packaging/compose/dashboard.json"]?.text?.contains("order_desk_http_requests_total") == true)
        for script in ["Scripts/compose", "Scripts/seed"] { #expect(files[script]?.isExecutable == true, "\(script)") }
    }

    @Test func `files that compose.yaml mounts and builds are there`() throws {
        let files = try files(Extra.allCases)
        let compose = try #require(files["compose.yaml"]?.text)
        let mounted =
            compose.matches(of: /\.\/([^:]+):/).map { String($0.1) }
            + compose.matches(of: /dockerfile: (\S+)/).map { String($0.1) }
        #expect(mounted.count == 6)
        for path in mounted { #expect(files[path] != nil, "\(path)") }
    }

    @Test func `rows of features that stay behind are in no seed`() throws {
        let none = try #require(try files([.seed])["Scripts/seed"]?.text)
        #expect(!none.contains("runbooks") && !none.contains("journal"))
        let demo = try #require(try files([.seed], features: "demo")["Scripts/seed"]?.text)
        #expect(demo.contains("make(\"/v1/runbooks\"") && demo.contains("make(\"/v1/journal/entries\""))
    }

    @Test func `a service of a link alone is told that no container has it`() throws {
        let words = "update-from-template --from URL"
        #expect(try files([.compose])["Scripts/compose"]?.text?.contains(words) == true)
        #expect(try files([.compose], strata: .vendored)["Scripts/compose"]?.text?.contains(words) == false)
    }

    @Test func `the record has the extras, and no word of them where there are none`() throws {
        let record = try TemplateRecord(try #require(try files([.compose, .seed])[TemplateRecord.path]))
        #expect(record.answers.extras == [.compose, .seed])
        let url = try RepositoryURL("https://git.example.com/strata.git")
        #expect(record.answers.moved(to: .url(url, commit: "0a")).extras == [.compose, .seed])

        let none = try #require(try files([])[TemplateRecord.path])
        #expect(none.text?.contains("extras") == false)
        #expect(try TemplateRecord(none).answers.extras == [])
    }
}
