import { ServiceError } from '#contract/core/errors.ts'
import { inputInQuery, type Operation, pathParameters } from '#contract/core/operation.ts'
import { withText } from '#contract/core/whole-body.ts'
import { OPERATIONS } from '../../src/contract/operations.ts'
import { bodyLimitOf } from '../../src/edge/http/body-limit.ts'
import { createInputReader, type InputReader } from '../../src/edge/http/read-input.ts'
import { type Floor, requireFloors } from '../floors.ts'
import { type Hostile, hostileBodies } from './bodies.ts'

/**
 * The CPU of the most expensive refused request of each operation at its size limit, as a multiple of what `JSON.parse`
 * takes for the same bytes in the same rounds, beyond the cost of the smallest refusal. The bodies are the same in every run: nothing is random.
 */
const isTenth = process.argv.includes('--tenth')
const MAX_BYTES = isTenth ? 16 * 1024 : 8 * 1024 * 1024
const ROUNDS = isTenth ? 2 : 5
/** CPU time is counted in microseconds, so that short work is repeated until it takes this long. */
const MIN_ROUND_US = isTenth ? 100 : 1_000
/** A multiple of almost nothing says nothing: a refusal within this time is kept whatever its ratio is. */
const FREE_US = 200
const MAX_RATIO = 3

type Measured = { op: Operation; what: string; bytes: number; parseUs: number; refuseUs: number; ratio: number }

const headers = { 'content-type': 'application/json' }

function requestOf(op: Operation, text: string): Request {
  return withText(new Request('http://bench/', { method: op.method, headers }), text)
}

/** Returns whether the body was refused. One that is accepted does not count. */
async function isRefused(read: InputReader, op: Operation, text: string): Promise<boolean> {
  const params = Object.fromEntries(pathParameters(op.path).map((name) => [name, 'a']))
  try {
    await read(requestOf(op, text), params, '')
    return false
  } catch (error) {
    if (error instanceof ServiceError && error.status < 500) return true
    throw error
  }
}

async function cpuUs(work: () => unknown, times: number): Promise<number> {
  const before = process.cpuUsage()
  for (let n = 0; n < times; n++) await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / times
}

function parse(text: string): void {
  try {
    JSON.parse(text)
  } catch {
    // Bodies that are not JSON cost what it takes to find out.
  }
}

async function measure(
  op: Operation,
  read: InputReader,
  baseUs: number,
  { what, text }: Hostile,
): Promise<Measured | undefined> {
  if (!(await isRefused(read, op, text))) return undefined
  const refuse = () => isRefused(read, op, text)
  const once = await cpuUs(refuse, 1)
  const times = Math.max(1, Math.min(50, Math.ceil(MIN_ROUND_US / Math.max(once, 1))))
  const rounds: { refuseUs: number; parseUs: number }[] = []
  for (let round = 0; round < ROUNDS; round++) {
    rounds.push({ refuseUs: await cpuUs(refuse, times), parseUs: await cpuUs(() => parse(text), times) })
  }
  // The least disturbed of the rounds, because other work of the machine only adds to one of them.
  const refuseUs = Math.min(...rounds.map((round) => round.refuseUs))
  const parseUs = Math.min(...rounds.map((round) => round.parseUs))
  const ratio = Math.max(0, refuseUs - baseUs) / Math.max(parseUs, 1)
  return { op, what, bytes: text.length, parseUs, refuseUs: refuseUs - baseUs, ratio }
}

/** Returns the time of the smallest refusal: what every request costs, whatever is in it. */
async function refusalUs(op: Operation, read: InputReader): Promise<number> {
  const smallest = () => isRefused(read, op, '{"":0}')
  await cpuUs(smallest, 20)
  return await cpuUs(smallest, 50)
}

const isDear = ({ refuseUs }: Measured) => refuseUs > FREE_US

/** The dearest body by ratio among those that cost anything, otherwise the dearest by time. */
async function worstOf(op: Operation): Promise<Measured> {
  const read = createInputReader(op)
  const baseUs = await refusalUs(op, read)
  const found: Measured[] = []
  for (const body of hostileBodies(op.input, Math.min(bodyLimitOf(op), MAX_BYTES))) {
    const measured = await measure(op, read, baseUs, body)
    if (measured) found.push(measured)
  }
  const dear = found.filter(isDear)
  return dear.length > 0
    ? dear.reduce((worst, next) => (next.ratio > worst.ratio ? next : worst))
    : found.reduce((worst, next) => (next.refuseUs > worst.refuseUs ? next : worst))
}

const operations = OPERATIONS.filter((op) => !inputInQuery(op) && op.bodyLimit > 0)
// In a tenth, operations whose inputs are alike are measured once.
const chosen = isTenth ? operations.filter((_, n) => n % 8 === 0 || operations[n]!.bodyLimit > 256 * 1024) : operations
const results: Measured[] = []
for (const op of chosen) results.push(await worstOf(op))

const ms = (us: number) => (us / 1000).toFixed(2).padStart(8)
console.log(`refused requests of ${results.length} operations, at most ${MAX_BYTES} bytes; worst first`)
console.log('   ratio  refuse ms   parse ms      bytes  operation, body')
for (const { op, what, bytes, parseUs, refuseUs, ratio } of results.toSorted(
  (a, b) => Number(isDear(b)) - Number(isDear(a)) || b.ratio - a.ratio,
)) {
  console.log(
    `${ratio.toFixed(2).padStart(8)}  ${ms(refuseUs)}   ${ms(parseUs)} ${String(bytes).padStart(10)}  ${op.name}, ${what}`,
  )
}
const worst = results.filter(isDear).reduce((ratio, next) => Math.max(ratio, next.ratio), 0)
const floors: Floor[] = [
  {
    name: `CPU of a refusal, as a multiple of parsing it (of those over ${FREE_US} µs)`,
    value: worst,
    atMost: MAX_RATIO,
  },
]
// CPU time of some microseconds depends on what runs beside it, so that a tenth only prints the ratio. That the check of a
// large input stops at its first fault is proven by tests that count.
if (isTenth) console.log(`\nnot judged in a tenth: the worst ratio is ${worst.toFixed(2)} (at most ${MAX_RATIO})`)
else requireFloors(floors)
