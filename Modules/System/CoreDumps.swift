#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Keeps the memory of this process, which holds tokens and keys, out of core files and away from other processes of the user.
package enum CoreDumps {
    /// Call it first in `main`. It cannot fail for a process of our own; on a system without `prctl` the limit remains.
    package static func forbid() {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        // 4 is PR_SET_DUMPABLE (prctl(2)). Swift cannot call a C function of variable arguments by its name.
        typealias Control = @convention(c) (CInt, CUnsignedLong, CUnsignedLong, CUnsignedLong, CUnsignedLong) -> CInt
        guard let control = dlsym(nil, "prctl") else { return }
        _ = unsafeBitCast(control, to: Control.self)(4, 0, 0, 0, 0)
    }
}
