import { passing } from './checks.ts'
import { DAY, type Scenario } from './scenario.ts'
import { access, atRandom, inOrder, integer, pick, spread } from './traffic.ts'

const files = {
  'package.json': '{ "name": "feed", "type": "module" }\n',
  'main.mjs': "console.log('feed is up')\n",
}

const WARNINGS = [
  (n: number) => ({ text: `WARN cache is ${n % 100}% full` }),
  (n: number) => ({ text: `WARN slow query took ${1_000 + (n % 700)}ms: select * from posts where id = ${n}` }),
  (n: number) => ({ text: `WARN feed of user ${n} has no posts, showing the default` }),
  (n: number) => ({ text: `warning: retry 1 for image ${n}.png succeeded` }),
  (n: number) => ({ text: `INFO 0 errors, ${n} requests in the last minute` }),
  (n: number) => ({ text: `WARN rejected request with invalid token from client ${n}` }),
  // Output of console.warn and warnings of Node itself go to standard error.
  (n: number) => ({ level: 'error' as const, text: `image ${n}.png is large, scaling it down` }),
  () => ({
    level: 'error' as const,
    text: '(node:17) [DEP0040] DeprecationWarning: The `punycode` module is deprecated.',
  }),
] as const

const quiet = (random: () => number) => spread(1_000, DAY, () => access(random))

/** A healthy app that warns a lot. */
export const chatty: Scenario = {
  name: 'chatty',
  summary: 'The app warns a lot, and works.',
  broken: {
    files,
    logs: (random) =>
      inOrder(
        quiet(random),
        atRandom(random, 3_000).map((minutesAgo) => ({
          minutesAgo,
          ...pick(random, WARNINGS)(integer(random, 1, 9_999)),
        })),
      ),
    checks: [passing('up', '/')],
  },
  clean: { files, logs: quiet, checks: [passing('up', '/')] },
  expected: { outcome: 'found_nothing', kind: null, path: null },
  change: [],
}
