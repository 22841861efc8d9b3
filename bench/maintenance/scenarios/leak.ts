import { failingSince, passing } from './checks.ts'
import { DAY, HOUR, type Line, type Scenario } from './scenario.ts'
import { access, inOrder, integer, onStderr, spread } from './traffic.ts'

const files = (isFreed: boolean) => ({
  'package.json': '{ "name": "export", "type": "module", "dependencies": { "pg": "8.23.1" } }\n',
  'lib/pool.mjs': `import { Pool } from 'pg'
export const pool = new Pool({ max: 20, connectionTimeoutMillis: 5_000 })
`,
  'jobs/export.mjs': `import { pool } from '../lib/pool.mjs'

export async function exportOrders(write) {
  const client = await pool.connect()
  const { rows } = await client.query('select * from orders')
  if (rows.length === 0) return 0
  await write(rows)
  ${isFreed ? 'client.release()' : '// the driver takes it back'}
  return rows.length
}
`,
})

const WAIT = 'timeout exceeded when trying to connect'

/** Each day more requests wait in vain for a connection. */
const timeouts = (random: () => number): Line[] =>
  [1, 3, 8, 20, 45, 90].flatMap((count, day) =>
    Array.from({ length: count }, () => {
      const minutesAgo = (5 - day) * DAY + random() * DAY
      return onStderr(minutesAgo, [
        `Error: ${WAIT}`,
        '    at /app/node_modules/pg-pool/index.js:45:11',
        '    at process.processTicksAndRejections (node:internal/process/task_queues:105:5)',
        '    at async exportOrders (file:///app/jobs/export.mjs:4:18)',
      ])
    }).flat(),
  )

const lines = (random: () => number) =>
  inOrder(
    spread(1_500, 6 * DAY, () => access(random)),
    spread(144, 6 * DAY, () => `pool: ${integer(random, 2, 9)} of 20 connections in use`),
  )

/** Connections are not given back. What the driver should do is for people to decide, so nothing is proposed. */
export const leak: Scenario = {
  name: 'leak',
  summary: 'Connections are taken from the pool and never given back, so requests wait in vain, more each day.',
  template: `Error: ${WAIT}`,
  broken: {
    files: files(false),
    logs: (random) => inOrder(lines(random), timeouts(random)),
    checks: [passing('up', '/'), failingSince('export', '/export', 2 * HOUR, 'no answer within 10 seconds')],
  },
  clean: { files: files(true), logs: lines, checks: [passing('up', '/'), passing('export', '/export')] },
  expected: { outcome: 'finding_recorded', kind: 'error_in_code', path: 'jobs/export.mjs' },
  change: [],
}
