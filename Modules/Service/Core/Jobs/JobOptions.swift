/// How one replica works on the queue.
struct JobOptions: Sendable {
    /// Jobs that run at once.
    var workers = 8
    /// How long an attempt may show no life before another replica ends it. It shows life three times as often.
    var lease = Duration.seconds(30)
    /// The longest time between two looks at the queue; a commit of this service leads to one at once.
    var poll = Duration.seconds(5)
    /// The shortest time between two looks that commits lead to.
    var pause = Duration.milliseconds(50)
    /// How long a drain waits for jobs.
    var drainTime = Duration.seconds(10)

    /// Before the lease ends, an attempt that could not show life is cancelled, so that it has ended when another one begins.
    var patience: Duration { lease * 2 / 3 }
}
