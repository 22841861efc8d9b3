import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { type LoadTarget, load } from '../help/load.ts'
import { agentToken, mcpAsked } from '../help/mcp.ts'
import { makeSecrets, oursAsked, startOurs } from '../help/ours.ts'
import { cpuMs, type Server } from '../help/processes.ts'
import { makeQuestions, startEmbedder } from '../help/questions.ts'
import { makeSource, type Source } from '../help/source.ts'
import { startStores, storesMissing } from '../help/stores.ts'
import { TRICKS } from './tricks.ts'

/**
 * `node bench/fast/run.ts [NAME …] [--rows N]`: how much of a question's own CPU each trick for speed saves. One server
 * runs with the trick and the plain module of `plain/`; rounds alternate between the two, over HTTP, over MCP with a token
 * and over MCP as a connected agent. A trick that saves less than 3 % on all of them is not worth its lines. The name
 * `nothing` changes nothing and so shows how exact the measure is, and `ONE+OTHER` does without both at once.
 */
const { values, positionals: named } = parseArgs({
  allowPositionals: true,
  options: { tenth: { type: 'boolean', default: false }, built: { type: 'boolean' }, rows: { type: 'string' } },
})
const { tenth } = values
const ROUNDS = tenth ? 1 : 11
const CONCURRENCY = 32
const SECONDS = tenth ? 1 : 2
/** A server compiles its code for some seconds before its times are steady. */
const WARM_UPS = tenth ? 1 : 4
/**
 * Few, so that the own CPU of a question is most of what the machine works on. With 20,000 calls come less often, and so
 * share less of what calls share.
 */
const ROWS = Number(values.rows ?? 200)
const MIN_GAIN_PERCENT = 3

const missing = storesMissing()
if (missing) {
  console.log(`left out: ${missing}`)
  process.exit(tenth ? 0 : 1)
}
/** A tenth shows that a server runs without a trick. */
const names = named.length > 0 ? named : Object.keys(TRICKS).slice(0, tenth ? 1 : undefined)
await using stack = new AsyncDisposableStack()
const dir = mkdtempSync(join(tmpdir(), 'svc-fast-'))
stack.defer(() => rmSync(dir, { recursive: true, force: true }))
const stores = stack.use(await startStores())
const questions = makeQuestions()
const { provider } = stack.use(await startEmbedder(questions))
const secrets = makeSecrets()
const source = await makeSourceOnce()
console.log(
  `${ROUNDS} rounds of ${SECONDS} s at ${CONCURRENCY}; median gain of own CPU; load ${loadavg()[0]!.toFixed(1)}`,
)
for (const name of names) await judge(name)

async function makeSourceOnce(): Promise<Source> {
  await using server = await startServer('first')
  // Awaited here, because the server ends with this function.
  return await makeSource(server.url, secrets.SVC_OPERATOR_TOKEN, stores.databaseUrl, ROWS)
}

async function judge(name: string): Promise<void> {
  await using server = await startServer(name, swapFlags(name))
  const gains = []
  for (const way of await waysTo(server)) gains.push(await gainOf(way, server, name))
  const isWorth = gains.some(({ share }) => share * 100 >= MIN_GAIN_PERCENT)
  const texts = gains.map(({ text }) => text).join('; ')
  console.log(`${name.padEnd(16)} ${texts}${isWorth ? '' : '; not worth it'}`)
}

function startServer(dataFolder: string, flags: readonly string[] = []): Promise<Server> {
  return startOurs({ ...stores, provider, dataDir: join(dir, dataFolder) }, secrets, flags)
}

/** Options by which a server loads both modules of the name. */
function swapFlags(name: string): readonly string[] {
  if (name === 'nothing') return []
  for (const one of name.split('+')) {
    if (!(one in TRICKS)) throw new Error(`there is no trick ${one}; there are ${Object.keys(TRICKS).join(', ')}`)
  }
  const swap = pathToFileURL(join(import.meta.dirname, 'swap.ts')).href
  return ['--import', `${swap}?${name}`]
}

type Way = { readonly name: string; readonly asked: LoadTarget }

async function waysTo({ url }: Server): Promise<Way[]> {
  const agent = { ...source, token: await agentToken(url, stores.databaseUrl, secrets) }
  const overMcp = (who: Source) => mcpAsked(url, who, questions.length, '2026-07-28')
  return [
    { name: 'HTTP', asked: oursAsked(url, source, questions.length, false) },
    { name: 'MCP', asked: overMcp(source) },
    { name: 'MCP as an agent', asked: overMcp(agent) },
  ]
}

/** By how much less CPU a question takes with the trick: medians of rounds that alternate. */
async function gainOf(way: Way, server: Server, name: string): Promise<{ share: number; text: string }> {
  const run = runOf(way.asked, server)
  const swap = () => void (name !== 'nothing' && process.kill(server.pid, 'SIGUSR2'))
  const fast: number[] = []
  const plain: number[] = []
  for (let round = -WARM_UPS; round < ROUNDS; round++) {
    const isFastFirst = round % 2 === 0
    if (!isFastFirst) swap()
    const first = await run()
    swap()
    const second = await run()
    if (isFastFirst) swap()
    if (round < 0) continue
    fast.push(isFastFirst ? first : second)
    plain.push(isFastFirst ? second : first)
  }
  const share = 1 - median(fast) / median(plain)
  const lower = fast.filter((ms, round) => ms < plain[round]!).length
  const times = `${median(fast).toFixed(3)} of ${median(plain).toFixed(3)} ms`
  return { share, text: `${way.name} ${percent(share)} (${times}; less in ${lower} of ${ROUNDS} rounds)` }
}

/** Returns a function that asks for some seconds and resolves with the own CPU of one question in milliseconds. */
function runOf(asked: LoadTarget, { pid }: Server): () => Promise<number> {
  return async () => {
    const before = cpuMs(pid)
    const done = await load(asked, CONCURRENCY, SECONDS)
    return (cpuMs(pid) - before) / done.asked
  }
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)]!
}
