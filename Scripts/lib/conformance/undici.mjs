// The part of undici's Agent that the suite uses, on Node's built-in dispatcher. One interceptor sees the heads of all
// responses, interim ones included.
const symbol = Symbol.for('undici.globalDispatcher.1')

// Node creates its dispatcher with the first request.
if (globalThis[symbol] === undefined) await fetch('data:,').then(response => response.text())

function fields (raw) {
  const result = {}
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i].toString().toLowerCase()
    const value = raw[i + 1].toString('latin1')
    result[name] = name in result ? `${result[name]}, ${value}` : value
  }
  return result
}

export class Agent {
  compose (interceptor) {
    const base = new globalThis[symbol].constructor()
    const dispatch = interceptor((options, watcher) => base.dispatch(options, watched(options.target, watcher)))
    return {
      dispatch: (options, handler) => dispatch({ ...options, target: handler }, {}),
      close: () => base.close(),
      destroy: error => base.destroy(error)
    }
  }
}

// The handler of fetch; it also reports every head to `watcher`.
function watched (handler, watcher) {
  return new Proxy(handler, {
    get (target, name) {
      const value = target[name]
      if (typeof value !== 'function') return value
      if (name !== 'onHeaders') return value.bind(target)
      return (status, raw, resume, text) => {
        watcher.onResponseStart?.(null, status, fields(raw), text)
        return value.call(target, status, raw, resume, text)
      }
    }
  })
}
