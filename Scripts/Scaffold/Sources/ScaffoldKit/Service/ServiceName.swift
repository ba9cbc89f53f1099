/// Which names a service can have.
package enum ServiceName {
    /// - Throws: A refusal with the reason and a name that would do.
    package static func checked(_ text: String) throws(ScaffoldRefusal) -> Spelling {
        let example = "use one like 'Orders' or 'OrderTracking'"
        guard !text.isEmpty else { throw ScaffoldRefusal("A service needs a name; \(example).", .usage) }
        guard text.utf8.count <= 40 else {
            throw ScaffoldRefusal(
                "'\(text.printable)' has \(text.utf8.count) bytes, and a name may have 40; \(example).", .usage)
        }
        let isPlain = text.utf8.allSatisfy {
            (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
        }
        guard isPlain else {
            throw ScaffoldRefusal(
                "'\(text.printable)' has characters other than the letters A to Z and digits; \(example).", .usage)
        }
        guard let first = text.utf8.first, (0x41...0x5A).contains(first) else {
            throw ScaffoldRefusal("'\(text)' does not begin with a capital; \(example).", .usage)
        }
        let spelling = Spelling(text)
        let small = text.lowercased()
        guard small.count >= 2 else {
            throw ScaffoldRefusal("'\(text)' is one letter, which names no program; \(example).", .usage)
        }
        if small.hasPrefix("strata") || small.contains(TemplateName.lower) {
            throw ScaffoldRefusal("'\(text)' is what the template is called; \(example).", .usage)
        }
        if programs.contains(spelling.kebab) {
            throw ScaffoldRefusal(
                "'\(text)' would make a program '\(spelling.kebab)', which systems have already; "
                    + "'\(text)Desk' would do.", .usage)
        }
        if small.hasSuffix("server") {
            throw ScaffoldRefusal(
                "'\(text)' ends with 'Server', which is what the server is called beside the command line; leave it out.",
                .usage)
        }
        return spelling
    }

    /// Commands of systems; a program of the same name would hide one, or be hidden.
    private static let programs: Set<String> = [
        "at", "awk", "bash", "bc", "cat", "cd", "cp", "cron", "curl", "cut", "date", "dd", "df", "diff", "docker", "du",
        "echo", "env", "exec", "exit", "export", "false", "file", "find", "fsck", "gcc", "git", "grep", "gzip", "help",
        "history", "host", "id", "info", "init", "ip", "jobs", "join", "kill", "last", "less", "link", "ln", "login",
        "ls", "make", "man", "mail", "mkdir", "mount", "mv", "nice", "node", "open", "passwd", "perl", "ping", "ps",
        "pwd", "python", "read", "rm", "root", "run", "screen", "script", "sed", "service", "set", "sh", "sleep",
        "sort",
        "split", "ssh", "stat", "su", "sudo", "swift", "sync", "systemd", "tail", "tar", "tee", "test", "time", "top",
        "touch", "tr", "true", "type", "uniq", "users", "vi", "wait", "watch", "wc", "which", "who", "write", "yes",
    ]
}
