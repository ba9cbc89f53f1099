/// A command about the caches of the server's answers.
public protocol CacheConsoleCommand: ConsoleCommand where Tools == CacheTools {}
