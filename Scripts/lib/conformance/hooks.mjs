// The one package the suite asks for at run time, and only for the tests of interim responses.
export function resolve (name, context, next) {
  if (name !== 'undici') return next(name, context)
  return { url: new URL('./undici.mjs', import.meta.url).href, shortCircuit: true }
}
