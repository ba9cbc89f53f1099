/// Names that what a task stores in HTTP caches gets, so that a change removes it with everything else it made untrue.
///
/// A `CachedReader` sets them around each fetch: the tags of the read, and `CacheKey.responseTag`.
public enum HTTPCacheTags {
    @TaskLocal public static var current: Set<String> = []
}
