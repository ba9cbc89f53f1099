// Loaded before the suite's server, which would listen on every interface.
import net from 'node:net'

const listen = net.Server.prototype.listen
net.Server.prototype.listen = function (port, ...rest) {
  return listen.call(this, Number(port), '127.0.0.1', ...rest)
}
