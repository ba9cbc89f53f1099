/// Keeps the memory of this process, which holds tokens and keys, out of core files and from other processes of the user.
public enum CoreDumps {
    /// Call it first in `main`. On a system without `prctl` only the limit on core files is set.
    public static func forbid() {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        // 4 is PR_SET_DUMPABLE (prctl(2)). Swift cannot call a C function with variable arguments by its name.
        typealias Control = @convention(c) (CInt, CUnsignedLong, CUnsignedLong, CUnsignedLong, CUnsignedLong) -> CInt
        guard let control = dlsym(nil, "prctl") else { return }
        _ = unsafeBitCast(control, to: Control.self)(4, 0, 0, 0, 0)
    }
}
