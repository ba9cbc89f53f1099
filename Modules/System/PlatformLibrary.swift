// The C library has another name on each platform. This file chooses it once; `import StrataSystem` brings it, and
// swift-system's types for descriptors, file status and error numbers with it.
@_exported public import SystemPackage

#if canImport(Glibc)
    @_exported public import Glibc
#elseif canImport(Musl)
    @_exported public import Musl
#elseif canImport(Darwin)
    @_exported public import Darwin
#endif
