// Replaces undici, the only package that the suite needs at run time. It uses it for the tests of interim responses.
export function resolve (name, context, next) {
  if (name !== 'undici') return next(name, context)
  return { url: new URL('./undici.mjs', import.meta.url).href, shortCircuit: true }
}
