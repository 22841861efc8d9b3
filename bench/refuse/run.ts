import { ServiceError } from '#contract/core/errors.ts'
import { inputInQuery, type Operation, pathParameters } from '#contract/core/operation.ts'
import { localRequest } from '#edge/fast/local-request.ts'
import { OPERATIONS } from '../../src/contract/operations.ts'
import { bodyLimitOf } from '../../src/edge/input/body-limit.ts'
import { createInputReader } from '../../src/edge/input/read-input.ts'
import { type Floor, requireFloors } from '../help/floors.ts'
import { type Hostile, hostileBodies } from './bodies.ts'

/**
 * The CPU of the most expensive refused request of each operation at its size limit, as a multiple of the CPU that
 * `JSON.parse` takes for the same bytes.
 *
 * What counts: reading, parsing and checking the body up to the thrown error, on top of the same for `{"":0}`, the smallest
 * body that is refused. That smallest refusal (a Request, an Error with its stack) is the same for every body, and so are
 * routing, the caller's token, the problem document and the log line, which are not in this figure. They take several
 * hundred microseconds of CPU; work of up to `FREE_US` beside them is not compared, because a multiple of the few
 * microseconds that parsing 4 KB takes says nothing about the cost of the request.
 *
 * The bodies are the same in every run: nothing is random. Each is tried once, and the worst of each operation are
 * measured again in rounds that alternate between refusing and parsing.
 */
const isTenth = process.argv.includes('--tenth')
const only = process.argv.find((argument) => argument.startsWith('--only='))?.slice('--only='.length)
const MAX_BYTES = isTenth ? 32 * 1024 : 8 * 1024 * 1024
const ROUNDS = isTenth ? 5 : 7
const CANDIDATES = isTenth ? 2 : 4
/** CPU time is counted in microseconds, so short work is repeated until it takes this long. */
const MIN_ROUND_US = 2_000
const FREE_US = 100
/** Longer work varies little, and takes minutes in all. */
const LONG_US = 20_000
const LONG_ROUNDS = 2
/** A tenth runs beside the tests of CI and measures a few hundred microseconds. */
const MAX_RATIO = isTenth ? 6 : 3

type Costs = { readonly refuseUs: number; readonly parseUs: number }
type Measured = Costs & { readonly op: Operation; readonly body: Hostile }

const headers = { 'content-type': 'application/json' }

/** Returns a function that reads a body as the edge does, and returns whether it was refused. */
function createRefusal(op: Operation): (text: string) => Promise<boolean> {
  const read = createInputReader(op)
  const params = Object.fromEntries(pathParameters(op.path).map((name) => [name, 'a']))
  return async (text) => {
    try {
      await read(localRequest('http://bench/', { method: op.method, headers, body: text }), params, '')
      return false
    } catch (error) {
      if (error instanceof ServiceError && error.status < 500) return true
      throw error
    }
  }
}

function parse(text: string): void {
  try {
    JSON.parse(text)
  } catch {
    // Bodies that are not JSON cost what it takes to find out.
  }
}

async function cpuUs(work: () => unknown, times: number): Promise<number> {
  const before = process.cpuUsage()
  for (let n = 0; n < times; n++) await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / times
}

async function measureOnce(refuse: (text: string) => Promise<boolean>, text: string, times: number): Promise<Costs> {
  return { refuseUs: await cpuUs(() => refuse(text), times), parseUs: await cpuUs(() => parse(text), times) }
}

/** The least disturbed of the rounds, because other work of the machine only adds to one of them. */
async function measure(refuse: (text: string) => Promise<boolean>, text: string): Promise<Costs> {
  const once = await cpuUs(() => refuse(text), 1)
  const times = Math.max(1, Math.min(100, Math.ceil(MIN_ROUND_US / Math.max(once, 1))))
  const rounds: Costs[] = []
  const count = once > LONG_US ? LONG_ROUNDS : ROUNDS
  for (let round = 0; round < count; round++) rounds.push(await measureOnce(refuse, text, times))
  return {
    refuseUs: Math.min(...rounds.map(({ refuseUs }) => refuseUs)),
    parseUs: Math.min(...rounds.map(({ parseUs }) => parseUs)),
  }
}

const SMALLEST = '{"":0}'

const ratioOf = ({ refuseUs, parseUs }: Costs) => refuseUs / Math.max(parseUs, 1)
const isDear = ({ refuseUs }: Costs) => refuseUs > FREE_US
/** The highest ratio among the bodies that cost anything comes first, then those that cost nothing by their time. */
const byCost = (a: Costs, b: Costs) =>
  Number(isDear(b)) - Number(isDear(a)) || (isDear(a) ? ratioOf(b) - ratioOf(a) : b.refuseUs - a.refuseUs)

async function worstOf(op: Operation): Promise<Measured> {
  const refuse = createRefusal(op)
  await cpuUs(() => refuse(SMALLEST), 100)
  const base = await measure(refuse, SMALLEST)
  const beyond = ({ refuseUs, parseUs }: Costs): Costs => ({ parseUs, refuseUs: Math.max(0, refuseUs - base.refuseUs) })
  let tried: Measured[] = []
  for (const body of hostileBodies(op.input, Math.min(bodyLimitOf(op), MAX_BYTES))) {
    if (!(await refuse(body.text))) continue
    tried.push({ op, body, ...beyond(await measureOnce(refuse, body.text, 1)) })
    tried = tried.toSorted(byCost).slice(0, CANDIDATES)
  }
  const found: Measured[] = []
  for (const { body } of tried) found.push({ op, body, ...beyond(await measure(refuse, body.text)) })
  return found.toSorted(byCost)[0]!
}

const operations = OPERATIONS.filter((op) => !inputInQuery(op) && op.bodyLimit > 0)
// In a tenth, operations whose inputs are alike are measured once.
const chosen = isTenth ? operations.filter((op, n) => n % 8 === 0 || bodyLimitOf(op) > 100_000) : operations
const results: Measured[] = []
for (const op of chosen) {
  if (only !== undefined && op.name !== only) continue
  if (!isTenth) console.error(`measuring ${op.name}`)
  results.push(await worstOf(op))
}

const ms = (us: number) => (us / 1000).toFixed(2).padStart(8)
console.log(`refused requests of ${results.length} operations, at most ${MAX_BYTES} bytes; worst first`)
console.log('   ratio  refuse ms   parse ms      bytes  operation, body')
for (const measured of results.toSorted(byCost)) {
  const { op, body, parseUs, refuseUs } = measured
  const ratio = isDear(measured) ? ratioOf(measured).toFixed(2) : 'free'
  console.log(
    `${ratio.padStart(8)}  ${ms(refuseUs)}   ${ms(parseUs)} ${String(body.text.length).padStart(10)}  ${op.name}, ${body.what}`,
  )
}
const floors: Floor[] = [
  {
    name: `CPU of a refusal, as a multiple of parsing it (of those over ${FREE_US} µs)`,
    value: Math.max(0, ...results.filter(isDear).map(ratioOf)),
    atMost: MAX_RATIO,
  },
]
requireFloors(floors)
