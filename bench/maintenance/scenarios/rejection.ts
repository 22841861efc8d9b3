import { passing } from './checks.ts'
import { DAY, type Scenario } from './scenario.ts'
import { atRandom, inOrder, integer, pino, pinoAccess, spread } from './traffic.ts'

const OLD = 'store.save(invoice)'
const NEW = 'await store.save(invoice)'

const files = (call: string) => ({
  'package.json': '{ "name": "billing", "type": "module" }\n',
  'billing/invoices.mjs': `/** Stores the invoice; one that exists already is left as it is. */
export async function addInvoice(store, invoice) {
  try {
    ${call}
    return 'added'
  } catch (error) {
    if (error.code === 'DUPLICATE') return 'exists'
    throw error
  }
}
`,
  'billing/store.mjs': `export function createStore() {
  const numbers = new Set()
  return {
    async save({ number }) {
      if (numbers.has(number)) throw Object.assign(new Error(\`invoice \${number} exists\`), { code: 'DUPLICATE' })
      numbers.add(number)
    },
  }
}
`,
})

const rejected = (number: number) => {
  const message = `invoice ${number} exists`
  const stack = `Error: ${message}\n    at Object.save (file:///app/billing/store.mjs:5:58)\n    at addInvoice (file:///app/billing/invoices.mjs:4:11)\n    at async file:///app/main.mjs:21:3`
  return pino(50, 'unhandled rejection', { err: { type: 'Error', code: 'DUPLICATE', message, stack } })
}

const NOISE = [
  (n: number) => pino(30, 'cache miss', { key: `invoice:${n}` }),
  (n: number) => pino(30, 'error budget report', { errors: 0, requests: n }),
  (n: number) => pino(40, 'slow query', { ms: 200 + (n % 300) }),
] as const

const noise = (random: () => number) =>
  inOrder(
    spread(2_500, DAY, () => pinoAccess(random)),
    atRandom(random, 600).map((minutesAgo, i) => ({
      minutesAgo,
      text: NOISE[i % NOISE.length]!(integer(random, 1, 9_999)),
    })),
  )

/** A promise is not awaited, so its rejection is handled by nobody. */
export const rejection: Scenario = {
  name: 'rejection',
  summary: 'The promise of save is not awaited, so a duplicate invoice is an unhandled rejection.',
  template: 'unhandled rejection: invoice <n> exists',
  broken: {
    files: files(OLD),
    logs: (random) =>
      inOrder(
        noise(random),
        atRandom(random, 9).map((minutesAgo) => ({ minutesAgo, text: rejected(integer(random, 10_000, 99_999)) })),
      ),
    checks: [passing('invoices', '/invoices')],
  },
  clean: { files: files(NEW), logs: noise, checks: [passing('invoices', '/invoices')] },
  expected: { outcome: 'proposed', kind: 'error_in_code', path: 'billing/invoices.mjs' },
  change: [{ path: 'billing/invoices.mjs', old: OLD, new: NEW }],
  hiddenTest: `import { addInvoice } from './billing/invoices.mjs'
import { createStore } from './billing/store.mjs'
const store = createStore()
const results = [await addInvoice(store, { number: 7 }), await addInvoice(store, { number: 7 })]
if (results.join() !== 'added,exists') throw new Error(\`got \${results}\`)
`,
}
