/// Tags of all responses that a task stores in HTTP caches, so that an invalidation removes them together.
///
/// A `CachedReader` sets them around each fetch: the tags of the read, and `CacheKey.responseTag`.
public enum HTTPCacheTags {
    /// The tags of the task; empty outside of a fetch.
    @TaskLocal public static var current: Set<String> = []
}
