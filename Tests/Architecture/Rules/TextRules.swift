/// Rules on code, without comments and literals.
extension Rule {
    static let modulesDoNotPrint = Rule(
        name: "a module prints with the console or the log only", minimum: 40
    ) { project, inspection in
        for file in project.files where file.path.hasPrefix("Modules/") {
            inspection.examine()
            for word in ["print", "debugPrint", "dump"] {
                for place in file.places(of: word, "(") where file.callsFreeFunction(at: place.index) {
                    inspection.report(
                        file.path, place.line, "\(word)() bypasses the console and the log; use one of them.")
                }
            }
        }
    }

    static let nothingCrashesOnPurpose = Rule(
        name: "no try!, as! or fatalError in modules and apps", minimum: 80
    ) { project, inspection in
        for file in project.shipped {
            inspection.examine()
            for word in ["try", "as"] {
                for place in file.places(of: word, "!")
                where file.tokens[place.index].end == file.tokens[place.index + 1].start {
                    inspection.report(
                        file.path, place.line, "\(word)! ends the process when it fails; handle the failure.")
                }
            }
            for place in file.places(of: "fatalError", "(") {
                inspection.report(file.path, place.line, "fatalError() ends the process; throw instead.")
            }
        }
    }

    /// What ends a transaction, as SQL and as a call.
    private static let endsOfTransactions = ["COMMIT", "ROLLBACK", ".commit(", ".rollback("]

    static let endsOfTransactionsAreChecked = Rule(
        name: "no try? before COMMIT or ROLLBACK in modules and apps", minimum: 80
    ) { project, inspection in
        for file in project.shipped {
            inspection.examine()
            for place in file.places(of: "try", "?") {
                // The SQL may be in the next line.
                let lines = file.lines[(place.line - 1)...].prefix(2)
                for end in endsOfTransactions where lines.contains(where: { $0.contains(end) }) {
                    inspection.report(
                        file.path, place.line,
                        "try? hides a transaction that did not end with \(end); handle the failure.")
                }
            }
        }
    }

    /// The module with the system calls.
    private static let systemFolder = "Modules/System/"

    /// Calls that only StrataSystem may make, each with its replacement in other modules.
    private static let systemCalls = [
        ("flock", "take a FileLock"), ("fcntl", "use StrataSystem's FileDescriptor"),
        ("rename", "place a DurableFile"), ("renameat", "place a DurableFile"),
        ("fsync", "use StrataSystem's FileDescriptor"),
        ("mkdir", "create a PrivateDirectory"), ("posix_spawn", "run a Program"), ("posix_spawnp", "run a Program"),
        ("fork", "run a Program"), ("Process", "run a Program"),
    ]

    static let systemCallsStayInTheirModule = Rule(
        name: "only StrataSystem locks and renames files and starts subprocesses", minimum: 80
    ) { project, inspection in
        for file in project.shipped where !file.path.hasPrefix(systemFolder) {
            inspection.examine()
            for (name, instead) in systemCalls {
                for place in file.places(of: name, "(") where file.callsFreeFunction(at: place.index) {
                    inspection.report(
                        file.path, place.line, "\(name)() is allowed in \(systemFolder) only; \(instead) instead.")
                }
            }
        }
    }

    /// Further files that may import the C library, each with its reason.
    private static let platformFiles = [
        // A leaf may not import another leaf.
        "Modules/Concurrency/Mutex.swift"
    ]

    static let platformIsChosenOnce = Rule(
        name: "only StrataSystem imports the platform's C library", minimum: 80
    ) { project, inspection in
        for file in project.shipped where !file.path.hasPrefix(systemFolder) && !platformFiles.contains(file.path) {
            inspection.examine()
            for library in ["Glibc", "Musl", "Darwin"] {
                let lines =
                    file.places(of: "canImport", "(", library).map(\.line)
                    + file.imports.filter { $0.module == library }.map(\.line)
                for line in lines {
                    inspection.report(
                        file.path, line, "\(library) is allowed in \(systemFolder) only; import StrataSystem instead.")
                }
            }
        }
    }

    static let uncheckedSendableIsProven = Rule(
        name: "a comment above @unchecked Sendable contains the proof", minimum: 150
    ) { project, inspection in
        for file in project.files {
            inspection.examine()
            for place in file.places(of: "@", "unchecked", "Sendable")
            where !file.hasComment("Sendable proof:", inLinesAbove: place.line, count: 4) {
                inspection.report(
                    file.path, place.line,
                    "@unchecked Sendable without a comment 'Sendable proof: …' in the four lines above.")
            }
        }
    }
}

extension SourceFile {
    /// Whether the name at `index` is a call of the free function, not a method or a declaration.
    func callsFreeFunction(at index: Int) -> Bool {
        guard index > 0 else { return true }
        switch tokens[index - 1].text {
        case "func": return false
        case ".": return index > 1 && tokens[index - 2].text == "Swift"
        default: return true
        }
    }
}
