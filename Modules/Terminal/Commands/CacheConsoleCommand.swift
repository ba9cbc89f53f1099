/// A command about the caches of responses.
public protocol CacheConsoleCommand: ConsoleCommand where Tools == CacheTools {}
