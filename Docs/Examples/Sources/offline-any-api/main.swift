import Foundation
import StrataClient
import StrataOffline

// offline-any-api FILE ADDRESS list | add TITLE | done TITLE | rename TITLE NEW | delete TITLE | sync | state | keep SIDE | refused | discard
let words = Array(CommandLine.arguments.dropFirst())
let client = try StrataClient(words[1], options: ClientOptions(json: .asDeclared))
let offline = try Offline(at: words[0], client: client)
let todos = try offline.collection(Todo.self, tasks)

func todo(_ title: String) async throws -> Stored<Todo> {
    guard let found = try await todos.list().first(where: { $0.title == title }) else {
        throw DomainError.notFound("There is no task '\(title)' here.")
    }
    return found
}

do {
    switch words[2] {
    case "list":
        for todo in try await todos.list() { print(todo.done ? "[x]" : "[ ]", todo.title) }
    case "add": try await todos.create(Todo(title: words[3]))
    case "done": try await todos.update(todo(words[3]).id) { $0.done = true }
    case "rename":
        let title = words[4]
        try await todos.update(todo(words[3]).id) { $0.title = title }
    case "delete": try await todos.delete(todo(words[3]).id)
    case "sync": try await offline.sync()
    case "state":
        let state = try await offline.status()
        print("\(state.unsent) unsent, \(state.openConflicts) conflicts, \(state.refusedInAll) refused")
    case "keep":
        for conflict in try await todos.conflicts {
            try await todos.keep(words[3] == "local" ? .local : .remote, in: conflict.id)
        }
    case "refused":
        for write in try await todos.unsent where write.state == .rejected { print(write.error ?? "") }
    case "discard":
        for write in try await todos.unsent where write.state == .rejected { try await todos.discard(write.id) }
    default: throw DomainError.notFound("'\(words[2])' is no command.")
    }
} catch {
    FileHandle.standardError.write(Data("\(error.localizedDescription)\n".utf8))
    exit(69)
}
