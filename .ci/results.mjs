// Reads vitest's JSON results.
//   results.mjs check FILE [--no-skip]   fails unless tests ran and none failed (or, with --no-skip, was left out)
//   results.mjs check FILE --once LIST   as without, and fails if a test of a file that LIST names was left out
//   results.mjs sum FILE...              prints "PASSED FAILED" over all the files
//   results.mjs failed FILE...           prints each test that failed, with the first lines of its message
import { readFileSync } from 'node:fs'

const MESSAGE_LINES = 12

const read = (file) => JSON.parse(readFileSync(file, 'utf8'))

const notRun = (results) =>
  results.testResults.flatMap((module) =>
    module.assertionResults
      .filter((test) => test.status !== 'passed' && test.status !== 'failed')
      .map((test) => `${module.name}: ${test.fullName}`),
  )

function check(file, option, list) {
  const results = read(file)
  const skipped = notRun(results)
  const noSkip = option === '--no-skip'
  // Tests that no later stage runs. The list is source, because Node here may be too old to import it.
  const once =
    option === '--once' ? [...readFileSync(list, 'utf8').matchAll(/'(\S+\.test\.ts)'/g)].map(([, path]) => path) : []
  const lost = skipped.filter((name) => once.some((path) => name.includes(`/${path}: `)))
  const left = Math.max(skipped.length, results.numPendingTests + results.numTodoTests)
  console.log(`this stage: passed ${results.numPassedTests}, failed ${results.numFailedTests}, skipped ${left}`)
  for (const name of skipped) console.log(`  skipped ${name}`)
  const problems = [
    results.numPassedTests + results.numFailedTests === 0 && 'no test ran',
    (results.numFailedTests > 0 || !results.success) && 'tests failed',
    noSkip && left > 0 && 'no test may be skipped here',
    lost.length > 0 && `no later stage runs these: ${lost.join('; ')}`,
  ].filter(Boolean)
  for (const problem of problems) console.error(problem)
  return problems.length === 0
}

// A file that a dying run left unreadable counts as one failure, so that it cannot hide.
function count(file) {
  try {
    const { numPassedTests, numFailedTests } = read(file)
    return { passed: numPassedTests, failed: numFailedTests }
  } catch {
    return { passed: 0, failed: 1 }
  }
}

function readOrNone(file) {
  try {
    return read(file).testResults
  } catch {
    return []
  }
}

function sum(files) {
  const counts = files.map(count)
  const total = (key) => counts.reduce((all, each) => all + each[key], 0)
  console.log(`${total('passed')} ${total('failed')}`)
}

function printFailed(files) {
  for (const module of files.flatMap(readOrNone)) {
    const tests = module.assertionResults.filter((test) => test.status === 'failed')
    if (module.status === 'failed' && tests.length === 0) console.log(`failed ${module.name}: ${module.message}`)
    for (const test of tests) {
      const message = test.failureMessages.join('\n').split('\n').slice(0, MESSAGE_LINES)
      console.log(`failed ${module.name}: ${test.fullName}\n  ${message.join('\n  ')}`)
    }
  }
}

const [command, ...rest] = process.argv.slice(2)
if (command === 'sum') sum(rest)
else if (command === 'failed') printFailed(rest)
else process.exitCode = check(...rest) ? 0 : 1
