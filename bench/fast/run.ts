import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { load } from '../help/load.ts'
import { mcpAsked } from '../help/mcp.ts'
import { makeSecrets, oursAsked, startOurs } from '../help/ours.ts'
import { cpuMs, type Server } from '../help/processes.ts'
import { makeQuestions, startEmbedder } from '../help/questions.ts'
import { makeSource, type Source } from '../help/source.ts'
import { startStores, storesMissing } from '../help/stores.ts'
import { TRICKS } from './tricks.ts'

/**
 * `node bench/fast/run.ts [NAME …]`: what each trick for speed saves of a question's own CPU. Two servers run on the same
 * stores, one of them with the plain module of `plain/` in place of the trick. Rounds alternate between them over HTTP
 * and over MCP. A trick that saves less than 3 % on both is not worth its lines. The name `nothing` compares two equal
 * servers and so shows how exact the measure is.
 */
const tenth = process.argv.includes('--tenth')
const ROUNDS = tenth ? 1 : 11
const CONCURRENCY = 32
const SECONDS = tenth ? 1 : 2
/** A server compiles its code for some seconds before its times are steady. */
const WARM_UPS = tenth ? 1 : 4
/** Few, so that the own CPU of a question is most of what the machine works on. */
const ROWS = 200
const MIN_GAIN_PERCENT = 3

const missing = storesMissing()
if (missing) {
  console.log(`left out: ${missing}`)
  process.exit(tenth ? 0 : 1)
}
const named = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
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
  return makeSource(server.url, secrets.SVC_OPERATOR_TOKEN, stores.databaseUrl, ROWS)
}

/** Both servers are new for each trick, because a server that has run for longer takes less CPU. */
async function judge(name: string): Promise<void> {
  await using fast = await startServer(`${name}-fast`)
  await using plain = await startServer(`${name}-plain`, swapFlags(name))
  const gains = [await gainOf('http', fast, plain), await gainOf('mcp', fast, plain)]
  const isWorth = gains.some(({ share }) => share * 100 >= MIN_GAIN_PERCENT)
  const texts = gains.map(({ text }) => text).join('; ')
  console.log(`${name.padEnd(16)} ${texts}${isWorth ? '' : '; not worth it'}`)
}

function startServer(dataFolder: string, flags: readonly string[] = []): Promise<Server> {
  return startOurs({ ...stores, provider, dataDir: join(dir, dataFolder) }, secrets, flags)
}

/** Options by which a server loads the plain module of the name. With `nothing` both servers are the same. */
function swapFlags(name: string): readonly string[] {
  if (name === 'nothing') return []
  if (!(name in TRICKS)) throw new Error(`there is no trick ${name}; there are ${Object.keys(TRICKS).join(', ')}`)
  const swap = pathToFileURL(join(import.meta.dirname, 'swap.ts')).href
  return ['--import', `${swap}?${name}`]
}

/** By how much less CPU a question takes with the trick: medians of rounds that alternate. */
async function gainOf(
  way: 'http' | 'mcp',
  fastServer: Server,
  plainServer: Server,
): Promise<{ share: number; text: string }> {
  const sides = {
    fast: { run: runOf(way, fastServer), ms: [] as number[] },
    plain: { run: runOf(way, plainServer), ms: [] as number[] },
  }
  for (let round = 0; round < WARM_UPS; round++) for (const { run } of Object.values(sides)) await run()
  for (let round = 0; round < ROUNDS; round++) {
    const order = round % 2 === 0 ? [sides.fast, sides.plain] : [sides.plain, sides.fast]
    for (const { run, ms } of order) ms.push(await run())
  }
  const [fast, slow] = [median(sides.fast.ms), median(sides.plain.ms)]
  const share = 1 - fast / slow
  const lower = sides.fast.ms.filter((ms, round) => ms < sides.plain.ms[round]!).length
  const text = `${way.toUpperCase()} ${percent(share)} (${fast.toFixed(3)} of ${slow.toFixed(3)} ms; less in ${lower} of ${ROUNDS} rounds)`
  return { share, text }
}

/** Returns a function that asks for some seconds and resolves with the own CPU of one question in milliseconds. */
function runOf(way: 'http' | 'mcp', { pid, url }: Server): () => Promise<number> {
  const asked =
    way === 'http'
      ? oursAsked(url, source, questions.length, false)
      : mcpAsked(url, source, questions.length, '2026-07-28')
  return async () => {
    const before = cpuMs(pid)
    const done = await load(asked, CONCURRENCY, SECONDS)
    return (cpuMs(pid) - before) / done.asked
  }
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
}
