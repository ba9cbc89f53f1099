// node client.mjs SUITE_DIR BASE_URL private|shared [ID]
//
// Runs the tests of one mode, or one test with its dependencies, and prints {id: {kind, suite, outcome, detail}}.
import { register } from 'node:module'
import { pathToFileURL } from 'node:url'

register('./hooks.mjs', import.meta.url)

const [directory, base, mode, only] = process.argv.slice(2)
const load = path => import(pathToFileURL(`${directory}/${path}`).href)
const { runTests, getResults } = await load('test-engine/client/runner.mjs')
const { determineTestResult, resultTypes, testLookup } = await load('test-engine/lib/results.mjs')
const suites = (await load('tests/index.mjs')).default
// CDN-Cache-Control (RFC 9213) addresses the caches of a content delivery network.
  .filter(suite => suite.id !== 'cdn-cache-control')

const wanted = new Set()
function want (id) {
  if (wanted.has(id)) return
  wanted.add(id)
  for (const other of testLookup(suites, id).depends_on ?? []) want(other)
}
if (only !== undefined) {
  want(only)
  testLookup(suites, only).dump = true
}
const chosen = suites.map(suite => ({
  ...suite, tests: suite.tests.filter(test => wanted.size === 0 || wanted.has(test.id))
}))

// Standard output contains the result only.
console.log = (...words) => console.error(...words)
await runTests(chosen, mode === 'private', base)

const names = new Map(Object.entries(resultTypes).map(([name, type]) => [type, name]))
const results = getResults()
const report = {}
for (const suite of chosen) {
  for (const test of suite.tests) {
    if (results[test.id] === undefined) continue
    const detail = results[test.id] === true ? '' : results[test.id].join(': ')
    report[test.id] = {
      suite: suite.id,
      kind: test.kind ?? 'required',
      outcome: names.get(determineTestResult(suites, test.id, results)),
      detail
    }
  }
}
process.stdout.write(JSON.stringify(report), () => process.exit(0))
