import { passing } from './checks.ts'
import { DAY, type Scenario } from './scenario.ts'
import { access, atRandom, inOrder, integer, spread } from './traffic.ts'

const OLD = "const [first, last] = name.split(' ')"
const NEW = "const [first = '', last = ''] = name.split(' ')"

const files = (body: string) => ({
  'package.json': '{ "name": "badges", "type": "module" }\n',
  'badge/initials.mjs': `export function initials(name) {
  ${body}
  return (first.charAt(0) + last.charAt(0)).toUpperCase()
}
`,
})

const lines = (random: () => number) => spread(600, DAY, () => access(random))

/** A fault that was seen before and whose change was denied is recorded, and not proposed again. */
export const denied: Scenario = {
  name: 'denied',
  summary: 'Badges of people with a single name fail.',
  template: "badge <n>: TypeError: Cannot read properties of undefined (reading 'charAt')",
  broken: {
    files: files(OLD),
    logs: (random) =>
      inOrder(
        lines(random),
        atRandom(random, 8).map((minutesAgo) => ({
          minutesAgo,
          level: 'error' as const,
          text: `badge ${integer(random, 1, 999)}: TypeError: Cannot read properties of undefined (reading 'charAt')\n    at initials (/app/badge/initials.mjs:3:31)`,
        })),
      ),
    checks: [passing('up', '/')],
  },
  clean: { files: files(NEW), logs: lines, checks: [passing('up', '/')] },
  expected: { outcome: 'finding_recorded', kind: 'error_in_code', path: 'badge/initials.mjs' },
  change: [{ path: 'badge/initials.mjs', old: OLD, new: NEW }],
  hiddenTest: `import { initials } from './badge/initials.mjs'
if (initials('Plato') !== 'P' || initials('Ada Lovelace') !== 'AL') throw new Error('the initials are wrong')
`,
  wasDenied: true,
}
