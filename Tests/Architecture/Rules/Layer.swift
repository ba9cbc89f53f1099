/// The layer of each folder and its allowed dependencies: a second table on purpose.
///
/// The manifest has its own table and stops on an illegal row. This table is independent of it, so a change of a rule must
/// change both.
enum Layer: String, Sendable, CaseIterable {
    case leaf, http, domain, systemLibrary, assets, networking, transport, proxy, data, httpCache, frontDoor, service,
        store,
        presentation, terminal, testing, featureTesting, client
    case featureDomain, featureAPI, featureData, featureService, featurePresentation
    case clientProgram, serverProgram, commandLine, backend, tests

    /// - Parameter path: A file or folder, relative to the root of the repository.
    init?(path: String) {
        let parts = path.split(separator: "/").map(String.init)
        switch (parts.first, parts.dropFirst().first, parts.dropFirst(2).first, parts.dropFirst(3).first) {
        case ("Modules", "System", _, _), ("Modules", "Concurrency", _, _): self = .leaf
        case ("Modules", "HTTP", _, _): self = .http
        case ("Modules", "Domain", _, _): self = .domain
        case ("Modules", "Networking", "Core", _): self = .networking
        case ("Modules", "Networking", "CZlib", _): self = .systemLibrary
        case ("Modules", "Networking", "Proxy", _): self = .proxy
        case ("Modules", "Networking", "Client", _): self = .frontDoor
        case ("Modules", "Networking", .some, _): self = .transport
        case ("Modules", "Data", "HTTPCache", _): self = .httpCache
        case ("Modules", "Data", .some, _): self = .data
        case ("Modules", "Service", "Core", _): self = .service
        case ("Modules", "Service", "CLibPQ", _): self = .systemLibrary
        case ("Modules", "Service", "Viewer", _): self = .assets
        case ("Modules", "Service", .some, _): self = .store
        case ("Modules", "Presentation", _, _): self = .presentation
        case ("Modules", "Terminal", _, _): self = .terminal
        case ("Modules", "Testing", _, _): self = .testing
        case ("Modules", "FeatureTesting", _, _): self = .featureTesting
        case ("Modules", "Programs", "Server", _): self = .serverProgram
        case ("Modules", "Clients", .some, _): self = .client
        case ("Modules", "Features", .some, "Domain"): self = .featureDomain
        case ("Modules", "Features", .some, "API"): self = .featureAPI
        case ("Modules", "Features", .some, "Data"): self = .featureData
        case ("Modules", "Features", .some, "Service"): self = .featureService
        case ("Modules", "Features", .some, "Presentation"): self = .featurePresentation
        case ("Modules", "Programs", "Client", _): self = .clientProgram
        case ("Apps", "CLI", _, _): self = .commandLine
        case ("Apps", "Backend", _, _): self = .backend
        case ("Tests", .some, _, _): self = .tests
        default: return nil
        }
    }

    /// The feature of a path; `nil` outside `Modules/Features`.
    static func feature(ofPath path: String) -> String? {
        let parts = path.split(separator: "/").map(String.init)
        return parts.count >= 3 && parts[0] == "Modules" && parts[1] == "Features" ? parts[2] : nil
    }

    /// The layers that this one may use. Within a layer, only the Domains of features may use each other.
    var mayUse: Set<Layer> {
        let ground: Set<Layer> = [.leaf, .http, .domain]
        return switch self {
        case .leaf, .http, .systemLibrary, .assets: []
        case .domain: [.http]
        case .networking: ground.union([.systemLibrary])
        case .service: ground.union([.assets])
        case .presentation: ground
        case .terminal: ground.union([.presentation])
        case .transport, .proxy, .testing, .client: ground.union([.networking])
        case .data: ground.union([.networking, .systemLibrary])
        case .httpCache: ground.union([.networking, .data])
        case .frontDoor: ground.union([.networking, .transport, .data])
        case .store: ground.union([.service, .systemLibrary])
        case .featureTesting: ground.union([.networking, .service, .store, .terminal, .testing])
        case .featureDomain, .featureAPI: [.domain, .featureDomain]
        case .featureData: ground.union([.data, .client, .featureDomain, .featureAPI])
        case .featureService: ground.union([.service, .client, .featureDomain, .featureAPI])
        case .featurePresentation: ground.union([.terminal, .featureDomain])
        case .clientProgram:
            ground.union([
                .networking, .transport, .proxy, .data, .httpCache, .terminal, .featureDomain, .featureData,
                .featurePresentation,
            ])
        case .commandLine:
            ground.union([
                .clientProgram, .networking, .transport, .proxy, .data, .httpCache, .terminal, .client, .featureDomain,
                .featureAPI, .featureData, .featurePresentation,
            ])
        case .serverProgram:
            ground.union([
                .networking, .transport, .service, .store, .client, .featureDomain, .featureAPI, .featureService,
            ])
        case .backend: Layer.serverProgram.mayUse.union([.serverProgram])
        case .tests: Set(Layer.allCases).subtracting([.tests])
        }
    }

    /// Whether its modules see what a service sees of Strata: they belong to a service, or use Accounts as a service does.
    var isOfAService: Bool {
        switch self {
        case .client, .featureDomain, .featureAPI, .featureData, .featureService, .featurePresentation, .clientProgram,
            .commandLine, .backend, .serverProgram:
            true
        default: false
        }
    }

    /// Modules of other packages and of the system that this layer may use; `nil` for all declared ones.
    ///
    /// The C library is for the layers that touch files, sockets, addresses or threads.
    var mayImport: Set<String>? {
        let pure: Set = ["FoundationEssentials"]
        let cLibrary: Set = ["Glibc", "Musl", "Darwin"]
        let system = pure.union(cLibrary).union(["Foundation", "Dispatch", "Synchronization"])
        switch self {
        case .systemLibrary, .assets:
            return []
        case .leaf:
            return system.union(["HeapModule", "Subprocess", "SystemPackage"])
        case .http:
            return pure.union(["HTTPTypes", "StructuredFieldValues"])
        case .domain, .client, .featureDomain, .featureAPI:
            return pure
        case .networking:
            return pure.union(cLibrary).union([
                "HTTPTypes", "Logging", "Metrics", "Tracing", "Collections", "AsyncAlgorithms", "Synchronization",
                "Crypto", "Dispatch",
            ])
        case .transport:
            return system.union([
                "AsyncHTTPClient", "NIOCore", "NIOHTTP1", "NIOPosix", "NIOSSL", "HTTPTypes", "Logging",
                "FoundationNetworking",
            ])
        case .proxy:
            return system.union([
                "HummingbirdCore", "HTTPTypes", "Logging", "NIOCore", "NIOHTTP1", "NIOPosix",
            ])
        case .data:
            return system.union(["GRDB", "GRDBSQLite", "Crypto", "Collections", "HTTPTypes", "Logging"])
        case .frontDoor:
            return []
        case .httpCache:
            return pure.union(["Crypto", "HTTPTypes", "Logging"])
        case .service:
            return system.union([
                "Hummingbird", "JWTKit", "Crypto", "CryptoExtras", "Configuration", "ServiceLifecycle", "Logging",
                "Metrics", "CoreMetrics", "Instrumentation", "Tracing", "HummingbirdCore", "HTTPTypes", "NIOCore",
                "NIOHTTP1",
                "NIOPosix",
            ])
        case .store:
            return system.union(["GRDB", "GRDBSQLite", "Logging"])
        case .presentation:
            return pure.union(["Observation"])
        case .terminal:
            return system.union(["ArgumentParser", "Observation"])
        case .testing:
            return pure.union(cLibrary).union([
                "Foundation", "FoundationNetworking", "HTTPTypes", "Logging", "NIOCore", "NIOPosix", "NIOSSL",
                "Synchronization",
            ])
        case .featureTesting:
            return pure.union(["Dispatch", "HTTPTypes", "HummingbirdTesting", "Logging", "NIOCore"])
        case .featureData:
            return pure.union(["GRDB", "Synchronization"])
        case .featureService:
            return pure.union(["Hummingbird", "Mustache"])
        case .featurePresentation:
            return pure.union(["ArgumentParser", "Observation", "Synchronization"])
        case .clientProgram:
            return system.union(["ArgumentParser", "Logging"])
        case .commandLine:
            return system.union(["ArgumentParser", "ServiceLifecycle", "Configuration", "Logging", "SystemPackage"])
        case .backend, .serverProgram:
            return system.union([
                "ArgumentParser", "ServiceLifecycle", "UnixSignals", "Configuration", "Logging", "Metrics",
            ])
        case .tests:
            return nil
        }
    }
}
