package import FoundationEssentials
import Subprocess

/// A program that runs as a subprocess, to its end, with its input given and its output kept.
///
/// It sees only the environment that it is given. Its input is complete before it starts, so a program that does not read is
/// no obstacle. It leads a process group of its own: at the time limit, it and what it started are killed.
package struct Program: Sendable {
    /// What a program left when it ended.
    package struct Output: Sendable {
        /// The exit status; 128 plus the number of the signal for a program that a signal ended.
        package var status: Int32
        package var standardOutput: Data
        package var standardError: Data
    }

    package enum Failure: Error, Sendable, Hashable {
        /// The reason in the system's words.
        case notStarted(String)
        case timedOut
        /// More output than `outputLimit`.
        case outputLimitExceeded
        case cancelled
        /// The input could not be written, or the output or the exit status could not be read.
        case lost(String)
    }

    /// An absolute path.
    package let path: String
    package let environment: [String: String]
    /// Bytes of standard output, and of standard error, that are accepted.
    package let outputLimit: Int

    package init(path: String, environment: [String: String], outputLimit: Int = 1 << 18) {
        self.path = path
        self.environment = environment
        self.outputLimit = outputLimit
    }

    /// Runs the program, and returns when it has ended, also when the task is cancelled: then it is killed.
    ///
    /// - Parameters:
    ///   - input: What it reads from standard input; no more than the kernel buffers, which is above 64 KiB.
    ///   - limit: How long it may run.
    package func run(
        _ arguments: [String], input: Data = Data(), within limit: Duration
    ) async throws(Failure) -> Output {
        let outcome = await withTaskGroup(of: Result<Output, Failure>?.self) { group in
            group.addTask { await result(arguments, input) }
            group.addTask { (try? await Task.sleep(for: limit)).map { .failure(.timedOut) } }
            var outcome: Result<Output, Failure> = .failure(.cancelled)
            // The sleep ends with nil when the task is cancelled; the program's own outcome follows.
            while let next = await group.next() {
                guard let next else { continue }
                outcome = next
                break
            }
            group.cancelAll()
            return outcome
        }
        return try outcome.get()
    }

    private func result(_ arguments: [String], _ input: Data) async -> Result<Output, Failure> {
        do {
            let execution = try await Subprocess.run(
                configuration(arguments), input: .fileDescriptor(filled(with: input), closeAfterSpawningProcess: true),
                output: .bytes(limit: outputLimit), error: .bytes(limit: outputLimit))
            if Task.isCancelled { return .failure(.cancelled) }
            let status =
                switch execution.terminationStatus {
                case .exited(let code): code
                case .signaled(let signal): 128 + signal
                }
            return .success(
                Output(
                    status: status, standardOutput: Data(execution.standardOutput),
                    standardError: Data(execution.standardError)))
        } catch let error as SubprocessError {
            return .failure(Failure(error))
        } catch let error as Errno {
            return .failure(.notStarted("\(error)"))
        } catch {
            return .failure(Task.isCancelled ? .cancelled : .lost("\(error)"))
        }
    }

    private func configuration(_ arguments: [String]) -> Configuration {
        var options = PlatformOptions()
        options.processGroupID = 0
        options.teardownSequence = [.send(signal: .kill, toProcessGroup: true, allowedDurationToNextStep: .zero)]
        return Configuration(
            executable: .path(FilePath(path)), arguments: Arguments(arguments),
            environment: .custom(environment.map { Array("\($0)=\($1)".utf8) + [0] }), platformOptions: options)
    }

    /// The reading end of a socket pair that holds `bytes` and then ends. A pipe would need a writer while the program runs,
    /// and SIGPIPE for a program that does not read.
    ///
    /// - Throws: `.resourceTemporarilyUnavailable` when the kernel does not buffer `bytes`.
    private func filled(with bytes: Data) throws(Errno) -> FileDescriptor {
        var ends: [CInt] = [-1, -1]
        try systemCall { socketpair(AF_UNIX, SocketType.stream | O_CLOEXEC, 0, &ends) }
        let (reader, writer) = (FileDescriptor(rawValue: ends[0]), FileDescriptor(rawValue: ends[1]))
        defer { writer.release() }
        do throws(Errno) {
            try writer.setBlocking(false)
            try writer.append(bytes)
        } catch {
            reader.release()
            throw error
        }
        return reader
    }
}

extension Program.Failure {
    init(_ error: SubprocessError) {
        switch error.code {
        case .outputLimitExceeded: self = .outputLimitExceeded
        case .spawnFailed, .executableNotFound:
            self = .notStarted(error.underlyingError.map { "\($0)" } ?? error.description)
        default: self = .lost(error.description)
        }
    }
}
