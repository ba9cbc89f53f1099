import StrataDomain
import StrataPresentation

extension Browser {
    /// Does what a key asked for; the outcome is on the screen after it.
    func perform(_ action: BrowseAction) async {
        switch action {
        case .reload: await reload()
        case .open(let purpose): await open(purpose)
        case .save(let form): await save(form)
        case .delete(let id): await delete(id)
        case .showConflict(let id): await showConflict(id)
        case .resolve(let id, let side): await resolve(id, keeping: side)
        // The loop does these itself.
        case .quit, .suspend, .redraw, .query: break
        }
        changed()
    }

    /// Asks the server now, whatever the pause until the next synchronisation, and says how that went.
    private func reload() async {
        var (outcome, failure) = ("Read again.", DomainError?.none)
        let asking = BrowseState.Message.note("Asking the server…")
        if let refresh = entities.upkeep.refresh {
            state.message = asking
            changed()
            // A key that is held asks once.
            guard !isAsking else { return }
            isAsking = true
            defer { isAsking = false }
            outcome = "Synchronised."
            do throws(DomainError) { try await refresh() } catch { failure = error }
        }
        await model.load()
        readOthersAgain()
        await updateFreshness()
        var reason = failure?.description
        if reason == nil, case .stale(_, let text) = model.origin { reason = text }
        // What another action has said meanwhile stays.
        guard state.message == nil || state.message == asking else { return }
        if let reason {
            state.message = .failure("Not current: \(reason)")
        } else {
            // The error of a list that cannot be read stands there by itself.
            state.message = model.error == nil ? .note(outcome) : nil
        }
    }

    // MARK: - Forms

    private func open(_ purpose: BrowseForm.Purpose) async {
        switch purpose {
        case .add: state.mode = .form(form.add(host: console.hostName))
        case .filter: state.mode = .form(form.filter(state.filters))
        case .edit(let id):
            guard let item = selected, item.id.rawValue == id else { return }
            state.mode = .form(form.edit(item))
        }
    }

    private func save(_ typed: BrowseForm) async {
        do throws(DomainError) {
            switch typed.purpose {
            case .filter: try await filter(typed)
            case .add: try await add(typed)
            case .edit(let id): try await edit(Identifier(id), typed)
            }
        } catch {
            var (text, errors) = (error.description, [String: String]())
            if case .validation(let reason, let fields) = error {
                text = reason
                errors = Dictionary(fields.map { ($0.field, $0.message) }) { first, _ in first }
                // An error of no field on the form would not be seen.
                for field in fields where !typed.fields.contains(where: { $0.name == field.field }) {
                    text += " \(field.field): \(field.message)"
                }
            }
            // The form may have been left meanwhile.
            if case .form(var form) = state.mode, form.purpose == typed.purpose {
                form.refuse(text, errors)
                state.mode = .form(form)
            } else {
                state.message = .failure(text)
            }
        }
    }

    private func filter(_ typed: BrowseForm) async throws(DomainError) {
        let texts = typed.fields.filter { !$0.editor.text.isEmpty }.map { ($0.name, $0.editor.text) }
        let filters = Dictionary(texts) { first, _ in first }
        let query = try await resolved(form.query(search: state.search, filters))
        state.filters = filters
        state.mode = .list
        load(query)
    }

    private func add(_ typed: BrowseForm) async throws(DomainError) {
        let given = try await resolved(form.values(of: typed))
        let context = NewEntityContext(now: console.clock.now, host: console.hostName)
        let content = try Content(fields: Content.completed(given, context).filter { $0.value != .null })
        let advice = try await entities.advice(on: given, isNew: true)
        let item = try await entities.create(content)
        state.rows.follow(item.id.rawValue)
        finish(View.outcome("created", item), advice)
    }

    private func edit(_ id: Identifier<Content>, _ typed: BrowseForm) async throws(DomainError) {
        let changes = try await resolved(form.values(of: typed))
        let advice = try await entities.advice(on: changes, isNew: false)
        let item = try await entities.update(id) { content throws(DomainError) in
            content = try content.changing(changes)
        }
        finish(View.outcome("updated", item), advice)
    }

    /// The values with the ids of what they name.
    private func resolved(_ values: [String: JSONValue]) async throws(DomainError) -> [String: JSONValue] {
        do { return try await entities.resolved(values) } catch { throw DomainError(error) }
    }

    private func resolved(_ query: EntityQuery<Content>) async throws(DomainError) -> EntityQuery<Content> {
        do { return try await entities.resolved(query).validated() } catch { throw DomainError(error) }
    }

    private func finish(_ outcome: String, _ advice: [String]) {
        if case .form(let form) = state.mode, form.isSaving { state.mode = .list }
        state.message = .note((["Saved: \(outcome)"] + advice).joined(separator: ". "))
        model.begin()
    }

    // MARK: - Other writes

    private func delete(_ id: String) async {
        do throws(DomainError) {
            try await entities.delete(Identifier(id))
            state.message = .note("deleted")
        } catch { state.message = .failure(error.description) }
        model.begin()
    }

    private func showConflict(_ id: String) async {
        guard let inbox = entities.upkeep.conflicts else {
            state.message = .failure("There are no conflicts here: the server refuses an edit of an old version.")
            return
        }
        do throws(DomainError) {
            let open = try await inbox.conflicts()
            guard let conflict = open.first(where: { $0.collection == Content.collection && $0.entityId == id }) else {
                state.message = .note("This \(Content.noun) has no conflict.")
                return
            }
            if case .list = state.mode { (state.mode, state.panelTop) = (.conflict(BrowseConflict(conflict)), 0) }
        } catch { state.message = .failure(error.description) }
    }

    private func resolve(_ id: SyncConflict.ID, keeping side: SyncConflict.Side) async {
        do throws(DomainError) {
            try await entities.upkeep.conflicts?.resolve(id, keeping: side)
            state.message = .note(side == .local ? "The local side is kept." : "The server's side is kept.")
        } catch { state.message = .failure(error.description) }
        model.begin()
    }
}
