import StrataService

/// What this backend does beside requests, a row each: kinds of jobs that features enqueue, and functions that run at times.
///
/// `JobHandler` shows both.
struct Jobs {
    let list: [JobHandler]

    init(_ settings: Settings, store: any Store) throws {
        list = []
    }
}
