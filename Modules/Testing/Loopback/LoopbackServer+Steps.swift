#if All || AsyncHTTP || Client
    import NIOCore
    import StrataSystem

    extension LoopbackServer {
        /// A part of a response, or of its failure. After the last step of a response the connection stays open.
        public enum Step: Sendable {
            /// These bytes, as they are.
            case send(String)
            /// Sends bytes as they are.
            case sendBytes([UInt8])
            /// The same bytes again and again, as fast as they are taken, until the connection has ended.
            case sendForever(String)
            /// Nothing until the gate opens: a stall.
            case wait(Gate)
            /// Nothing for a time.
            case pause(Duration, on: any Clock<Duration> = ContinuousClock())
            /// Ends the connection; with TLS, ends that first.
            case close
            /// Ends the connection without the end of TLS.
            case cut
            /// Ends only what the server sends; requests are still read. Not for TLS.
            case finish
            /// Ends the connection with a reset, which drops bytes that are on their way.
            case reset

            /// A complete response.
            ///
            /// - Parameter fields: Header fields besides the length: `["ETag: \"1\""]`.
            public static func response(_ status: String = "200 OK", _ body: String = "", fields: [String] = []) -> Step
            {
                let head = ["HTTP/1.1 \(status)"] + fields + ["Content-Length: \(body.utf8.count)"]
                return .send(head.map { "\($0)\r\n" }.joined() + "\r\n" + body)
            }

            /// A complete response with JSON.
            public static func json(_ body: String, status: String = "200 OK", fields: [String] = []) -> Step {
                .response(status, body, fields: ["Content-Type: application/json"] + fields)
            }

            fileprivate var bytes: [UInt8]? {
                switch self {
                case .send(let text): Array(text.utf8)
                case .sendBytes(let bytes): bytes
                default: nil
                }
            }
        }

        /// The connection of a request.
        public struct Connection: Sendable {
            let channel: any Channel

            /// Whether neither side has ended it.
            public var isOpen: Bool { channel.isActive }

            /// Returns once the system has taken the bytes.
            ///
            /// - Throws: When the connection ends before that.
            public func send(_ bytes: some Collection<UInt8>) async throws {
                try await channel.writeAndFlush(ByteBuffer(bytes: bytes)).get()
            }

            /// - Throws: When the connection has ended, or the server stops.
            public func run(_ step: Step) async throws {
                switch step {
                case .send, .sendBytes: try await send(step.bytes ?? [])
                case .sendForever(let text):
                    let buffer = ByteBuffer(string: text)
                    while true { try await channel.writeAndFlush(buffer).get() }
                case .wait(let gate): try await gate.wait()
                case .pause(let time, let clock): try await clock.sleep(for: time)
                case .close: try await channel.close().get()
                case .cut: try await channel.triggerUserOutboundEvent(ConnectionBreaker.Now()).get()
                case .finish: try await channel.close(mode: .output).get()
                case .reset:
                    let socket = channel as? any SocketOptionProvider
                    try await socket?.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
                    try await run(.cut)
                }
            }
        }
    }

    extension [LoopbackServer.Step] {
        /// The first `count` bytes of what these steps send, and then `end`. A wait before that byte stays.
        public func cut(after count: Int, then end: LoopbackServer.Step = .close) -> Self {
            var (steps, left): (Self, Int) = ([], count)
            for step in self where left > 0 {
                guard let bytes = step.bytes else {
                    steps.append(step)
                    continue
                }
                steps.append(.sendBytes([UInt8](bytes.prefix(left))))
                left -= bytes.count
            }
            return steps + [end]
        }
    }
#endif
