import Foundation
import Observation
import StrataDomain
import StrataPresentation

/// A note on a board.
public struct Note: Entity {
    public static let noun = "note"
    public static let collection = "notes"
    public static let fields: [EntityField<Note>] = [.init("text", \.text)]

    public var text: String
    public init(text: String) { self.text = text }
}

/// Shows the notes, and again after each difference, until the task is cancelled.
@MainActor public func showBoard(_ notes: EntityUseCases<Note>, on screen: ([String]) -> Void) async throws {
    let model = EntityListModel(notes)
    let following = Task { try await model.follow() }
    defer { following.cancel() }
    for await lines in Observations({ Board(model).lines }) { screen(lines) }
    try await following.value
}

/// What the board shows of its model.
@MainActor struct Board {
    let model: EntityListModel<Note>
    init(_ model: EntityListModel<Note>) { self.model = model }

    var lines: [String] {
        if model.isLoading { return ["loading"] }
        var lines = model.items.map { "- \($0.content.text)" }
        if case .stale(_, let reason) = model.origin { lines.append("not current: \(reason)") }
        if let error = model.error { lines.append(error.localizedDescription) }
        return lines
    }
}
