import { passing } from './checks.ts'
import { DAY, type Scenario } from './scenario.ts'
import { atRandom, inOrder, integer, pino, pinoAccess, spread } from './traffic.ts'

const files = {
  'package.json': '{ "name": "payments", "type": "module" }\n',
  'pay/charge.mjs': `/** Tries three times, because the bank is away now and then. */
export async function charge(fetch, body) {
  for (let attempt = 1; ; attempt++) {
    const answer = await fetch('https://bank.example/charge', { method: 'POST', body })
    if (answer.ok) return answer.json()
    if (attempt === 3) throw new Error(\`bank.example answered \${answer.status}\`)
  }
}
`,
}

const failed = (id: number) =>
  pino(50, 'charge failed: bank.example answered 502', { order: id, upstream: 'bank.example', attempt: 3, status: 502 })
const retried = (id: number) => pino(40, 'bank.example answered 502, trying again', { order: id, attempt: 1 })

/** A few requests of a healthy app need a second try. */
const lines = (random: () => number) =>
  inOrder(
    spread(900, DAY, () => pinoAccess(random)),
    atRandom(random, 6).map((minutesAgo) => ({ minutesAgo, text: retried(integer(random, 1, 9_999)) })),
  )

/** A service that the app needs fails. The app handles that as it should. */
export const upstream: Scenario = {
  name: 'upstream',
  summary: 'The bank answers charges with 502. The app retries as it should.',
  template: 'charge failed: bank.example answered 502',
  broken: {
    files,
    logs: (random) =>
      inOrder(
        lines(random),
        atRandom(random, 40, 180).flatMap((minutesAgo) => {
          const id = integer(random, 10_000, 99_999)
          return [
            { minutesAgo, text: retried(id) },
            { minutesAgo, text: failed(id) },
          ]
        }),
      ),
    checks: [passing('up', '/')],
  },
  clean: { files, logs: lines, checks: [passing('up', '/')] },
  expected: { outcome: 'finding_recorded', kind: 'dependency', path: null },
  change: [],
}
