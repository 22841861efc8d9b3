import { matchesGlob, resolve as resolvePath } from 'node:path'
import { defineConfig } from 'vitest/config'
import { AreaReporter } from './test/help/suite/area-reporter.ts'
import { CODE_CACHE } from './test/help/suite/code-cache.ts'
import {
  ANY_STORE_TESTS,
  COMMAND_TESTS,
  EMBEDDED_ONLY_TESTS,
  findStorelessTests,
} from './test/help/suite/embedded-only.ts'
import { FULL_ONLY_TESTS } from './test/help/suite/full-only.ts'
import { chooseMemoryFolder } from './test/help/suite/memory-folder.ts'
import { findTestsOfTheirOwnProcess, findTestsThatReplaceTimers } from './test/help/suite/own-process.ts'
import { SkipReporter } from './test/help/suite/skip-reporter.ts'
import { SlowestFirst } from './test/help/suite/slowest-first.ts'

// The test processes inherit both.
process.env.NODE_COMPILE_CACHE ??= CODE_CACHE
chooseMemoryFolder(process.env)

const results = process.env.SVC_TEST_RESULTS
const onStores = process.env.SVC_TEST_DATABASE_URL !== undefined
/** Ends a test that hangs. No test may need it: tests wait on conditions, and a busy machine only makes them later. */
const HANG_LIMIT_MS = 5 * 60_000

/** `npm test` leaves out what `npm run test:rest` runs, unless it was given files. */
const isQuick =
  process.argv.includes('quick') && process.argv.slice(2).every((word) => /^(?:run|quick|-.*)$/.test(word))
const isRest = process.argv.includes('rest')

const everyTest = ['src/**/*.test.{ts,tsx}', 'test/**/*.test.ts']
const include = isRest ? FULL_ONLY_TESTS.map((glob) => glob.replace(/\*\*$/, '**/*.test.ts')) : everyTest
const exclude = [
  'test/built/**',
  'node_modules/**',
  'dist/**',
  ...(isQuick ? FULL_ONLY_TESTS : []),
  ...(onStores ? [...EMBEDDED_ONLY_TESTS, ...COMMAND_TESTS, ...ANY_STORE_TESTS, ...findStorelessTests()] : []),
]
const isOfThisRun = (path: string) => !isRest || include.some((glob) => matchesGlob(path, glob))
const ownProcess = findTestsOfTheirOwnProcess().filter(isOfThisRun)
const replacedTimers = findTestsThatReplaceTimers().filter(isOfThisRun)
/**
 * Journeys and tests on real stores wait for other processes about half of their time, so that four of them keep two
 * processors busy. The others compute; more of them would only load the server once more each.
 */
const maxWorkers = isRest || onStores ? 4 : 3
/** Child processes run as `npm start` builds them. */
const resolve = { alias: { '#lib/files/bundle.ts': resolvePath('test/help/suite/built-workers.ts') } }
const everywhere = {
  pool: 'forks',
  // The same for `npm test`, `test:rest` and `test:stores`, which name another one: transformed files are cached by mode.
  mode: 'test',
  maxWorkers,
  testTimeout: HANG_LIMIT_MS,
  hookTimeout: HANG_LIMIT_MS,
  teardownTimeout: HANG_LIMIT_MS,
} as const

export default defineConfig({
  test: {
    ...everywhere,
    globalSetup: 'test/help/suite/global-setup.ts',
    sequence: { sequencer: SlowestFirst },
    // CI prints the messages of failed tests without their differences.
    chaiConfig: { truncateThreshold: 2_000 },
    reporters: [new AreaReporter(), new SkipReporter(), ...(results ? ['json'] : [])],
    ...(results && { outputFile: { json: results } }),
    projects: [
      { resolve, test: { ...everywhere, name: 'own-process', include: ownProcess, exclude, isolate: true } },
      {
        resolve,
        test: {
          ...everywhere,
          name: 'replaced-timers',
          include: replacedTimers,
          exclude,
          isolate: false,
          setupFiles: 'test/help/suite/real-timers.ts',
        },
      },
      // Files share processes: to load the server again for each file would be a third of all processor time.
      {
        resolve,
        test: {
          ...everywhere,
          name: 'shared',
          include,
          exclude: [...exclude, ...ownProcess, ...replacedTimers],
          isolate: false,
        },
      },
    ],
  },
})
