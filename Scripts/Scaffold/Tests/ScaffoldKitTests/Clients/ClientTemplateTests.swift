import Testing

@testable import ScaffoldKit

/// The example client of this repository, and its copies.
struct ClientTemplateTests {
    private let strata: SourceTree

    init() throws { strata = SourceTree(try LocalFileSystem(root: repositoryRoot)) }

    private func rendered(
        _ name: String, _ address: String = "https://api.example.com/v1", _ auth: ClientAuth = .key,
        formatter: any SourceFormatter = AsItIs()
    ) throws -> [RelativePath: String] {
        let spec = ClientSpec(name: Spelling(name), address: try BaseURL(address), auth: auth)
        return try ClientTemplate(strata: strata, formatter: formatter).render(
            spec, rules: strata.text(".swift-format"))
    }

    @Test func `written as itself, the example is the same to the byte`() throws {
        let files = try rendered("Weather", "https://weather.example/api", formatter: SwiftFormat())
        #expect(files.count == 5)
        for (path, text) in files { #expect(try strata.text(path) == text, "\(path)") }
    }

    @Test func `the example has each text that depends on the credential`() throws {
        let text = try rendered("Weather", "https://weather.example/api").values.joined()
        for part in ClientAuth.key.texts.all { #expect(text.contains(part), "\(part)") }
    }

    @Test(arguments: ClientAuth.allCases)
    func `a copy has its own credential, and nothing of the key of the example`(auth: ClientAuth) throws {
        let files = try rendered("TideTables", "https://api.example.com/v1", auth)
        let client = try #require(files["Modules/Clients/TideTables/TideTablesClient.swift"])
        let test = try #require(files["Tests/Clients/TideTables/TideTablesClientTests.swift"])
        let page = try #require(files["Modules/Clients/TideTables/README.md"])
        let (texts, key) = (auth.texts, ClientAuth.key.texts)
        for part in [texts.line, texts.style, "init(\n        \(texts.parameters)"] {
            #expect(client.contains(part), "\(part)")
        }
        #expect(client.hasPrefix(texts.domain))
        #expect(test.contains(texts.sent) && test.contains("Client(\n            \(texts.sample)transport: server"))
        #expect(
            page.contains("credential: \(texts.page);")
                && page.contains("Client(\n    \(texts.arguments)transport: transport"))
        let text = files.values.joined()
        for (part, own) in zip(key.all, texts.all) where part != own { #expect(!text.contains(part), "\(part)") }
        for word in ["apiKey", "X-API-Key", "k-123", "key:"] {
            #expect(text.contains(word) == (auth == .key), "\(word)")
        }
    }

    @Test func `a copy has its own name and address, whatever they are`() throws {
        for (name, address) in [("TideTables", "https://weather.test/Weather"), ("Forecasts", "http://127.0.0.1:8080")]
        {
            let files = try rendered(name, address)
            #expect(files.keys.allSatisfy { $0.components[2] == name && !$0.description.contains("Weather") })
            let text = files.values.joined()
            #expect(!text.contains("weather.example") && !text.contains("WeatherClient"))
            #expect(!text.replacing(address, with: "").lowercased().contains("weather"))
            #expect(text.contains("static let address = \"\(address)\""))
            #expect(text.contains("HTTPURL(\"\(address)/v2/forecasts/Sylt?days=2\")"))
            #expect(text.contains("struct \(name)Client: Sendable"))
            #expect(text.contains("STRATA_TESTS=\(name)Tests"))
        }
    }

    @Test(arguments: [
        ("Network", "NetworkError"), ("API", "APIClient"), ("HTTPAPI", "HTTPAPIClient"), ("MockAPI", "MockAPIClient"),
        ("Options", "OptionsError"), ("Raw", "RawClient"),
    ])
    func `a client that would hide a type of Strata is refused`(name: String, type: String) {
        let message = refusal { try TakenTypes(strata: strata, tree: strata).check(client: name) }
        #expect(message.contains("'\(type)', which Strata has"), "\(message)")
    }

    @Test(arguments: [
        "Crypto", "GRDB", "Subprocess", "Logging", "Foundation", "Testing", "StrataWeather", "WeatherTests", "Backend",
        "Architecture", "EndToEnd", "JournalData", "AccountsAPI", "SpecimensDomain",
    ])
    func `a name that a module or its tests have is refused`(name: String) {
        let message = refusal { try ClientNames.checkFree(name, in: strata, strata: strata) }
        #expect(message.contains("a build has already") && message.contains("'\(name)Gateway'"), "\(message)")
    }

    @Test(arguments: ["GitHub", "Stripe", "Payments", "Forecast", "Harbours", "S3Storage"])
    func `another name is accepted`(name: String) throws {
        try ClientNames.checkFree(name, in: strata, strata: strata)
        try TakenTypes(strata: strata, tree: strata).check(client: name)
    }
}
