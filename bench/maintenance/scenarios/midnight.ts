import { everyTenMinutes, passing } from './checks.ts'
import { DAY, HOUR, type Scenario } from './scenario.ts'
import { inOrder, integer, logfmt, spread } from './traffic.ts'

const OLD = "return when.toLocaleDateString('en-CA', { timeZone: 'America/New_York' })"
const NEW = 'return when.toISOString().slice(0, 10)'

const files = (body: string) => ({
  'package.json': '{ "name": "reports", "type": "module" }\n',
  'report/day.mjs': `/** The day of a report, as the tables have it: in UTC. */
export function dayOf(when) {
  ${body}
}
`,
  'report/daily.mjs': `import { dayOf } from './day.mjs'

export function dailyReport(tables, when) {
  const rows = tables.get(dayOf(when))
  if (!rows) throw new Error(\`no table for \${dayOf(when)}\`)
  return rows.length
}
`,
})

/** Minutes ago in which New York has another day than UTC, if the look is at 06:00 UTC. */
const isWrongDay = (minutesAgo: number) => minutesAgo >= HOUR && minutesAgo <= 6 * HOUR

const lines = (random: () => number) =>
  inOrder(
    spread(600, DAY, () =>
      logfmt('info', 'report sent', { rows: integer(random, 10, 500), ms: integer(random, 5, 60) }),
    ),
    spread(24, DAY, () => logfmt('info', 'retrying 0 failed reports', { failed: 0 })),
  )

const failures = () =>
  Array.from({ length: 30 }, (_, i) => {
    const minutesAgo = 6 * HOUR - i * 10
    const fields = { error: '"no table for 2026-11-15"', at: 'dailyReport(report/daily.mjs:5)', job: `j-${4_000 + i}` }
    return { minutesAgo, text: logfmt('error', 'report failed', fields) }
  })

const DETAIL = 'status 500 instead of 200'

/** The day is taken in the wrong timezone, so reports fail in the hours after midnight UTC, every night. */
export const midnight: Scenario = {
  name: 'midnight',
  summary: 'The day of a report is taken in New York, but the tables are named in UTC, so reports fail after midnight.',
  template: 'report failed: no table for <n>-<n>-<n>',
  broken: {
    files: files(OLD),
    logs: (random) => inOrder(lines(random), failures()),
    checks: [passing('up', '/'), everyTenMinutes('today', '/today', { detail: DETAIL, isFailing: isWrongDay })],
  },
  clean: { files: files(NEW), logs: lines, checks: [passing('up', '/'), passing('today', '/today')] },
  expected: { outcome: 'proposed', kind: 'error_in_logs', path: 'report/day.mjs' },
  change: [{ path: 'report/day.mjs', old: OLD, new: NEW }],
  hiddenTest: `import { dailyReport } from './report/daily.mjs'
const tables = new Map([['2026-11-16', [1, 2]]])
for (const time of ['00:10', '04:59', '12:00', '23:50']) {
  if (dailyReport(tables, new Date(\`2026-11-16T\${time}:00Z\`)) !== 2) throw new Error(time)
}
`,
}
