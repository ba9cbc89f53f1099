import ArgumentParser
import FoundationEssentials
import Logging
import StrataDomain
import StrataSQLite
import StrataService
import Testing

@testable import StrataServerProgram

@Suite(.shiftlog) struct `Settings of the server` {
    @Test func `all settings but the secret have defaults`() throws {
        let settings = try Settings(environment: ["HOME": "/home/ada"])
        #expect(settings.host == "127.0.0.1")
        #expect(settings.port == 8080)
        #expect(settings.database.file == "/home/ada/.local/share/shiftlog/server.sqlite")
        #expect(settings.environment == .production)
        #expect(settings.signingSecret == nil)
        #expect(settings.accessTokenSeconds == 900)
        #expect(settings.refreshTokenSeconds == 2_592_000)
        #expect(settings.logLevel == .info)
        #expect(settings.logFormat == .text)
        #expect(settings.publicURL == nil)
        #expect(settings.mailFrom == nil)
        #expect(settings.trustedProxies.isEmpty)
        #expect(settings.corsOrigins.isEmpty)
    }

    @Test func `the pages have the name and the colours of the settings`() throws {
        let settings = try Settings(environment: [
            "HOME": "/home/ada", "SHIFTLOG_PAGE_NAME": "Night shift", "SHIFTLOG_PAGE_COLORS": "#8a1c00,#ffb59e",
        ])
        #expect(settings.pages.name == "Night shift")
        #expect(settings.pages.light == PageColor("#8a1c00") && settings.pages.dark == PageColor("#ffb59e"))
        #expect(try Settings(environment: ["HOME": "/home/ada"]).pages == .standard)
    }

    @Test(arguments: ["#8a1c00", "red,blue", "#8a1c00,#ffb59e,#000000", "#ffee00,#ffb59e", "#8a1c00,#000080"])
    func `colours of pages that cannot be used are refused with their setting`(colors: String) {
        let error = #expect(throws: SettingsError.self) {
            try Settings(environment: ["HOME": "/home/ada", "SHIFTLOG_PAGE_COLORS": colors])
        }
        #expect(error?.description.hasPrefix("page.colors (SHIFTLOG_PAGE_COLORS)") == true)
    }

    @Test func `flags win over the environment, and the environment over the file`() throws {
        let file = try TemporaryFile(
            #"{"http": {"host": "file.example", "port": 1001}, "database": "sqlite:/file.db", "log_level": "error"}"#)
        let environment = [
            "SHIFTLOG_CONFIG_FILE": file.path, "SHIFTLOG_HTTP_HOST": "10.0.0.2", "SHIFTLOG_HTTP_PORT": "1002",
            "SHIFTLOG_ACCESS_TOKEN_SECONDS": "60",
        ]
        let settings = try Settings(flags: [.port: "1003"], environment: environment)
        #expect(settings.port == 1003)
        #expect(settings.host == "10.0.0.2")
        #expect(settings.database.file == "/file.db")
        #expect(settings.logLevel == .error)
        #expect(settings.accessTokenSeconds == 60)
    }

    @Test func `every setting can come from the file, numbers as numbers or text`() throws {
        let file = try TemporaryFile(
            """
            {"http": {"host": "::1", "port": "0"}, "database": "sqlite:x.db", "environment": "development",
             "signing_secret": "s", "access_token_seconds": 1, "refresh_token_seconds": 2, "log_level": "trace",
             "log_format": "json", "public_url": "https://a.example/", "trusted_proxies": "127.0.0.1, fd00::/8",
             "cors_origins": "https://b.example, http://localhost:5173",
             "mail_from": "shiftlog@a.example"}
            """)
        let settings = try Settings(configFile: file.path, environment: [:])
        #expect(settings.host == "::1")
        #expect(settings.port == 0)
        #expect(settings.environment == .development)
        #expect(settings.signingSecret?.reveal() == "s")
        #expect(settings.accessTokenSeconds == 1)
        #expect(settings.refreshTokenSeconds == 2)
        #expect(settings.logLevel == .trace)
        #expect(settings.logFormat == .json)
        #expect(settings.publicURL?.description == "https://a.example")
        #expect(settings.trustedProxies.contains(peer: "fd00::1"))
        #expect(try settings.corsOrigins == CORSOrigins("https://b.example,http://localhost:5173"))
        #expect(settings.mailFrom?.description == "shiftlog@a.example")
    }

    @Test func `without settings every limit is that of the library`() throws {
        let settings = try Settings(environment: ["HOME": "/home/ada"])
        #expect(settings.limits == ServiceLimits())
        #expect(settings.logins == LoginSettings())
    }

    @Test func `every limit can come from the environment`() throws {
        let settings = try Settings(environment: [
            "SHIFTLOG_RATE_USER": "1,0.5", "SHIFTLOG_RATE_HOST": "2,20", "SHIFTLOG_RATE_READS": "3,30",
            "SHIFTLOG_RATE_ADDRESS": "4, 40", "SHIFTLOG_RATE_KEYS": "5,50", "SHIFTLOG_RATE_LOGINS": "6,60",
            "SHIFTLOG_LOGIN_FAILURES": "7", "SHIFTLOG_LOGIN_WINDOW_SECONDS": "80", "SHIFTLOG_PASSWORD_LOGIN": "off",
            "SHIFTLOG_PASSWORD_COST": "16",
            "SHIFTLOG_SESSIONS": "9", "SHIFTLOG_CONNECTIONS": "100", "SHIFTLOG_CONNECTIONS_PER_ADDRESS": "11",
            "SHIFTLOG_TRANSFERS": "12", "SHIFTLOG_BODY_BYTES": "2000",
        ])
        var limits = ServiceLimits()
        limits.rates.person = RateLimit(burst: 1, perSecond: 0.5)
        limits.rates.host = RateLimit(burst: 2, perSecond: 20)
        limits.rates.reads = RateLimit(burst: 3, perSecond: 30)
        limits.rates.address = RateLimit(burst: 4, perSecond: 40)
        limits.rates.keys = RateLimit(burst: 5, perSecond: 50)
        limits.maxConnections = 100
        limits.maxConnectionsPerAddress = 11
        limits.transfersPerCaller = 12
        limits.maxBody = 2000
        #expect(settings.limits == limits)
        let logins = LoginSettings(
            passwordLogin: .off,
            passwordCost: try #require(ScryptCost(rounds: 65_536, blockSize: 8, parallelism: 3)), failures: 7,
            windowSeconds: 80, rate: RateLimit(burst: 6, perSecond: 60), sessions: 9)
        #expect(settings.logins == logins)
    }

    @Test func `limits can come from the file, in objects`() throws {
        let file = try TemporaryFile(
            #"{"rate": {"user": "10,1"}, "login": {"failures": 3, "window_seconds": 60}, "sessions": 2}"#)
        let settings = try Settings(configFile: file.path, environment: [:])
        #expect(settings.limits.rates.person == RateLimit(burst: 10, perSecond: 1))
        #expect(settings.logins.failures == 3 && settings.logins.windowSeconds == 60 && settings.logins.sessions == 2)
    }

    @Test func `every setting has a line in the help and in the documentation of settings`() throws {
        let page = URL(filePath: #filePath).appending(path: "../../../../Docs/Operations.md").standardized
        let operations = try String(contentsOf: page, encoding: .utf8)
        let help = ProgramCommand.helpMessage()
        for setting in Setting.all {
            #expect(help.contains("  \(setting.variable) "), "\(setting)")
            #expect(operations.contains("| `\(setting.variable)` |"), "\(setting)")
        }
    }

    @Test func `an empty variable counts as not set`() throws {
        let file = try TemporaryFile(#"{"http": {"port": 1001}}"#)
        let settings = try Settings(configFile: file.path, environment: ["SHIFTLOG_HTTP_PORT": ""])
        #expect(settings.port == 1001)
    }

    @Test(arguments: [
        ("SHIFTLOG_HTTP_PORT", "http"), ("SHIFTLOG_HTTP_PORT", "65536"), ("SHIFTLOG_HTTP_PORT", "-1"),
        ("SHIFTLOG_HTTP_PORT", "99999999999999999999"), ("SHIFTLOG_HTTP_HOST", "http://x"),
        ("SHIFTLOG_HTTP_HOST", "a b"), ("SHIFTLOG_ENVIRONMENT", "staging"), ("SHIFTLOG_ACCESS_TOKEN_SECONDS", "0"),
        ("SHIFTLOG_ACCESS_TOKEN_SECONDS", "15m"), ("SHIFTLOG_REFRESH_TOKEN_SECONDS", "999999999999"),
        ("SHIFTLOG_LOG_LEVEL", "loud"), ("SHIFTLOG_DATABASE", "mysql://x"), ("SHIFTLOG_DATABASE", "/data.db"),
        ("SHIFTLOG_DATABASE", "sqlite:"), ("SHIFTLOG_LOG_FORMAT", "xml"), ("SHIFTLOG_MAIL_FROM", "Shiftlog"),
        ("SHIFTLOG_MAIL_FROM", "a@b.example,c@d.example"),
        ("SHIFTLOG_MAIL_FROM", "-f@a.example"), ("SHIFTLOG_PUBLIC_URL", "shiftlog.example"),
        ("SHIFTLOG_PUBLIC_URL", "https://shiftlog.example/app"), ("SHIFTLOG_TRUSTED_PROXIES", "127.0.0.1 ::1"),
        ("SHIFTLOG_TRUSTED_PROXIES", "10.0.0.1/8"), ("SHIFTLOG_TRUSTED_PROXIES", "nginx"),
        ("SHIFTLOG_RATE_USER", "300"), ("SHIFTLOG_RATE_USER", "0,1"), ("SHIFTLOG_RATE_USER", "10,0"),
        ("SHIFTLOG_RATE_USER", "10,1,1"), ("SHIFTLOG_RATE_USER", "ten,1"), ("SHIFTLOG_RATE_USER", "10,nan"),
        ("SHIFTLOG_RATE_USER", "1000001,1"), ("SHIFTLOG_RATE_USER", "10,inf"), ("SHIFTLOG_RATE_KEYS", "10;1"),
        ("SHIFTLOG_LOGIN_FAILURES", "0"), ("SHIFTLOG_LOGIN_WINDOW_SECONDS", "59"), ("SHIFTLOG_PASSWORD_LOGIN", "no"),
        ("SHIFTLOG_PASSWORD_COST", "9"), ("SHIFTLOG_PASSWORD_COST", "18"),
        ("SHIFTLOG_SESSIONS", "1001"), ("SHIFTLOG_CONNECTIONS", "15"), ("SHIFTLOG_CONNECTIONS_PER_ADDRESS", "0"),
        ("SHIFTLOG_TRANSFERS", "257"), ("SHIFTLOG_BODY_BYTES", "1023"), ("SHIFTLOG_CORS_ORIGINS", "null"),
        ("SHIFTLOG_CORS_ORIGINS", "https://a.example/"), ("SHIFTLOG_CORS_ORIGINS", "https://*.example"),
        ("SHIFTLOG_CORS_ORIGINS", "a.example"), ("SHIFTLOG_CORS_ORIGINS", "https://bücher.example"),
    ])
    func `a bad value is named with the variable`(variable: String, value: String) {
        let error = #expect(throws: SettingsError.self) { try Settings(environment: [variable: value]) }
        #expect(error?.description.contains(variable) == true)
        #expect(error?.description.contains(value) == true)
    }

    @Test func `the origin of a list that is not one is named with the variable and the right one`() {
        let error = #expect(throws: SettingsError.self) {
            try Settings(
                flags: [.corsOrigins: "https://a.example,https://B.example/"],
                environment: ["SHIFTLOG_CORS_ORIGINS": "https://a.example"])
        }
        #expect(
            error?.description
                == "cors_origins (--cors-origins, SHIFTLOG_CORS_ORIGINS): 'https://B.example/' is no origin "
                + "as a browser sends it; write https://b.example.")
    }

    @Test func `previous signing secrets are read, and an error does not repeat them`() throws {
        let (first, second) = (SigningSecret.new().reveal(), "An old lighthouse keeper sleeps until noon")
        let settings = try Settings(environment: ["SHIFTLOG_PREVIOUS_SIGNING_SECRETS": "\(first), \(second)"])
        #expect(settings.previousSigningSecrets.map { $0.reveal() } == [first, second])
        #expect(try Settings(environment: ["HOME": "/home/ada"]).previousSigningSecrets.isEmpty)
        let weak = String(repeating: "7bc1", count: 12)
        let error = #expect(throws: SettingsError.self) {
            try Settings(environment: ["SHIFTLOG_PREVIOUS_SIGNING_SECRETS": "\(first),\(weak)"])
        }
        #expect(error?.description.contains("SHIFTLOG_PREVIOUS_SIGNING_SECRETS") == true)
        #expect(error?.description.contains("secret 2 repeats") == true)
        #expect(error?.description.contains("7bc1") == false)
    }

    @Test func `an OpenID provider comes from the environment or the file, and is off by default`() throws {
        #expect(try Settings(environment: ["HOME": "/home/ada"]).openID == nil)
        let file = try TemporaryFile(#"{"oidc": {"client_id": "shiftlog", "client_secret": "s3", "name": "Example"}}"#)
        let settings = try Settings(
            configFile: file.path,
            environment: ["SHIFTLOG_OIDC_ISSUER": "https://id.example.org/", "SHIFTLOG_OIDC_ACCOUNTS": "create"])
        let expected = try OpenIDOptions(
            issuer: "https://id.example.org/", clientId: "shiftlog", clientSecret: Secret("s3"), name: "Example",
            accounts: .create)
        #expect(settings.openID == expected)
        let plain = ["SHIFTLOG_OIDC_ISSUER": "https://id.example.org", "SHIFTLOG_OIDC_CLIENT_ID": "a"]
        let standard = try #require(try Settings(environment: plain).openID)
        #expect(standard.name == "id.example.org" && standard.accounts == nil && standard.clientSecret == nil)
    }

    @Test(
        arguments: [
            (["SHIFTLOG_OIDC_CLIENT_SECRET": "hunter2"], "SHIFTLOG_OIDC_ISSUER"),
            (["SHIFTLOG_OIDC_ISSUER": "https://id.example.org"], "SHIFTLOG_OIDC_CLIENT_ID"),
            (["SHIFTLOG_OIDC_ISSUER": "http://id.example.org", "SHIFTLOG_OIDC_CLIENT_ID": "a"], "OIDC_ISSUER"),
            (["SHIFTLOG_OIDC_ISSUER": "https://id.example.org", "SHIFTLOG_OIDC_CLIENT_ID": "a b"], "OIDC_CLIENT_ID"),
            (
                [
                    "SHIFTLOG_OIDC_ISSUER": "https://id.example.org", "SHIFTLOG_OIDC_CLIENT_ID": "a",
                    "SHIFTLOG_OIDC_ACCOUNTS": "all",
                ], "OIDC_ACCOUNTS"
            ),
        ] as [([String: String], String)])
    func `an OpenID provider that is not complete is refused`(environment: [String: String], words: String) {
        let error = #expect(throws: SettingsError.self) { try Settings(environment: environment) }
        #expect(error?.description.contains(words) == true && error?.description.contains("hunter2") == false)
    }

    @Test func `a public URL with a password keeps it to itself`() {
        let error = #expect(throws: SettingsError.self) {
            try Settings(environment: ["SHIFTLOG_PUBLIC_URL": "https://ada:hunter2@shiftlog.example"])
        }
        #expect(error?.description.contains("hunter2") == false)
    }

    #if POSTGRES
        @Test func `a PostgreSQL address is shown without its password`() throws {
            let settings = try Settings(environment: ["SHIFTLOG_DATABASE": "postgres://ada:hunter22@db:5433/shiftlog"])
            #expect("\(settings.database)" == "postgres://ada@db:5433/shiftlog")
        }
    #endif

    @Test(arguments: ["postgres://ada:hunter22@[db/shiftlog", "postgresql://ada:hunter22@db?nonsense=1"])
    func `a malformed PostgreSQL address is refused without its password`(address: String) {
        let error = #expect(throws: SettingsError.self) { try Settings(environment: ["SHIFTLOG_DATABASE": address]) }
        #expect(error?.description.contains("hunter22") == false)
    }

    @Test(arguments: [
        "", "[]", "{", "nonsense", #"{"http": {"prot": 1}}"#, #"{"port": 1}"#, #"{"http": 1}"#,
        #"{"http": {"port": true}}"#, #"{"http": {"port": {"x": 1}}}"#, #"{"database": null}"#,
    ])
    func `a file that is not understood is refused`(text: String) throws {
        let file = try TemporaryFile(text)
        let error = #expect(throws: SettingsError.self) { try Settings(configFile: file.path, environment: [:]) }
        #expect(error?.description.contains(file.path) == true)
    }

    @Test func `a settings file that is too long is reported as such`() throws {
        let file = try TemporaryFile(#"{"database": ""# + String(repeating: "x", count: 70_000) + #""}"#)
        let error = #expect(throws: SettingsError.self) { try Settings(configFile: file.path, environment: [:]) }
        #expect(error?.description.contains("Larger than 65536 bytes") == true)
    }

    @Test func `a file that is named but missing is refused`() {
        #expect(throws: SettingsError.self) {
            try Settings(configFile: "/nowhere/shiftlog.json", environment: [:])
        }
    }

    @Test(arguments: [
        (["SHIFTLOG_HOME": "/h", "XDG_DATA_HOME": "/x", "HOME": "/u"], "/h/server.sqlite"),
        (["XDG_DATA_HOME": "/x", "HOME": "/u"], "/x/shiftlog/server.sqlite"),
        (["XDG_DATA_HOME": "relative", "HOME": "/u"], "/u/.local/share/shiftlog/server.sqlite"),
        ([:], "shiftlog.sqlite"),
    ])
    func `the database lies in the data directory`(environment: [String: String], path: String) throws {
        #expect(try Settings(environment: environment).database.file == path)
    }
}

/// A file that is gone when the test is.
final class TemporaryFile {
    let path: String

    init(_ text: String) throws {
        path = FileManager.default.temporaryDirectory.path + "/settings-\(UUID().uuidString).json"
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
