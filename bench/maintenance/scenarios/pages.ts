import { failingSince, passing } from './checks.ts'
import { DAY, HOUR, type Scenario } from './scenario.ts'
import { pinoAccess, spread } from './traffic.ts'

const OLD = 'return rows.slice(start, start + size - 1)'
const NEW = 'return rows.slice(start, start + size)'

const files = (body: string) => ({
  'package.json': '{ "name": "catalogue", "type": "module" }\n',
  'src/main.mjs': `import { createServer } from 'node:http'
import { page } from './page.mjs'

const rows = Array.from({ length: 95 }, (_, i) => ({ id: i + 1 }))
createServer((request, response) => {
  const number = Number(new URL(request.url, 'http://catalogue').searchParams.get('page') ?? 1)
  response.end(JSON.stringify({ rows: page(rows, number, 20) }))
}).listen(Number(process.env.PORT))
`,
  'src/page.mjs': `/** The rows of a page. Pages count from one. */
export function page(rows, number, size) {
  const start = (number - 1) * size
  ${body}
}
`,
})

const DETAIL = 'the answer does not contain "\\"id\\":20}"'

/** Each page lacks its last row. The logs show nothing. */
export const pages: Scenario = {
  name: 'pages',
  summary: 'Each page of the catalogue lacks its last row.',
  check: 'first page',
  broken: {
    files: files(OLD),
    logs: (random) => spread(700, DAY, () => pinoAccess(random)),
    checks: [passing('start', '/'), failingSince('first page', '/?page=1', 7 * HOUR, DETAIL)],
  },
  clean: {
    files: files(NEW),
    logs: (random) => spread(700, DAY, () => pinoAccess(random)),
    checks: [passing('start', '/'), passing('first page', '/?page=1')],
  },
  expected: { outcome: 'proposed', kind: 'failing_check', path: 'src/page.mjs' },
  change: [{ path: 'src/page.mjs', old: OLD, new: NEW }],
  hiddenTest: `import { page } from './src/page.mjs'
const rows = Array.from({ length: 45 }, (_, i) => i)
const all = [1, 2, 3].flatMap((number) => page(rows, number, 20))
if (all.join() !== rows.join()) throw new Error('the pages are not all rows')
`,
}
