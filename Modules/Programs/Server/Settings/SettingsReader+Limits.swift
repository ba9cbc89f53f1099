import StrataService

extension SettingsReader {
    /// Connections, transfers, bodies and rates.
    func limits() throws(SettingsError) -> ServiceLimits {
        var limits = ServiceLimits()
        try set(&limits.maxConnections, .connections, in: 16...1_000_000)
        try set(&limits.maxConnectionsPerAddress, .connectionsPerAddress, in: 1...500_000)
        try set(&limits.transfersPerCaller, .transfers, in: 1...256)
        try set(&limits.maxBody, .bodyBytes, in: 1024...67_108_864)
        try set(&limits.rates.person, .rateUser)
        try set(&limits.rates.host, .rateHost)
        try set(&limits.rates.reads, .rateReads)
        try set(&limits.rates.address, .rateAddress)
        try set(&limits.rates.keys, .rateKeys)
        return limits
    }

    func logins() throws(SettingsError) -> LoginSettings {
        var logins = LoginSettings()
        logins.passwordLogin = try choice(.passwordLogin) ?? .on
        if let power = try integer(.passwordCost, in: 10...17) {
            logins.passwordCost =
                ScryptCost(rounds: 1 << power, blockSize: 8, parallelism: 3) ?? logins.passwordCost
        }
        try set(&logins.failures, .loginFailures, in: 1...1000)
        try set(&logins.windowSeconds, .loginWindowSeconds, in: 60...86_400)
        try set(&logins.sessions, .sessions, in: 1...1000)
        try set(&logins.rate, .rateLogins)
        return logins
    }

    /// Changes `value` if the setting has one.
    private func set(_ value: inout Int, _ setting: Setting, in range: ClosedRange<Int>) throws(SettingsError) {
        if let number = try integer(setting, in: range) { value = number }
    }

    /// A rate as `BURST,PER_SECOND`.
    private func set(_ value: inout RateLimit, _ setting: Setting) throws(SettingsError) {
        guard let text = text(setting) else { return }
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).map { $0.filter { $0 != " " } }
        guard parts.count == 2, let burst = Int(parts[0]), let perSecond = Double(parts[1]),
            (1...1_000_000).contains(burst), (0.001...1_000_000).contains(perSecond)
        else {
            throw refusal(
                setting, text,
                "requests at once, 1 to 1000000, and a second, 0.001 to 1000000, with a comma between them, like 3000,300"
            )
        }
        value = RateLimit(burst: burst, perSecond: perSecond)
    }
}
