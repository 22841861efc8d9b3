import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Db } from '#lib/db/db.ts'
import { seeded } from '../seeded.ts'
import { askAtRate, type SwitchReport, startAsking } from './switch-questions.ts'
import { COLUMNS, MODELS, type ModelName, type SwitchWorld, startSwitchWorld } from './switch-world.ts'

type Options = {
  readonly rows: number
  /** Each switches to the new model, back, and drops the new column. */
  readonly rounds: number
  readonly perSecond: number
  readonly seed: number
}
type Report = SwitchReport & {
  switches: number
  kills: number
  /** Differences between the database after a switch and a complete one. */
  leftovers: string[]
  seconds: number
}

const CLIENT = fileURLToPath(new URL('../../../src/cli/main.ts', import.meta.url))
const KILLED_SHARE = 0.6
const QUIET_MS = 1_500

/** Switches forth and back with the client under load, kills it at random moments and runs it again until it ends. */
export async function switchWithKills(on: { db: Db; databaseUrl: string }, options: Options): Promise<Report> {
  await using world = await startSwitchWorld(on, options.rows)
  const asking = startAsking(world)
  const random = seeded(options.seed)
  const stop = new AbortController()
  const startedAt = performance.now()
  const background = Promise.all([
    askAtRate(asking, options.perSecond, stop.signal),
    writeRows(world, random, stop.signal),
  ])
  const found = { switches: 0, kills: 0, leftovers: [] as string[] }
  const client = startClient(world, random, found)
  try {
    for (let round = 0; round < options.rounds; round++) {
      for (const model of ['after', 'before'] as const) {
        asking.setInUse(undefined)
        await client(['--text', 'title', '--model', MODELS[model], '--switch', '--without-questions', '--yes'])
        asking.setInUse(model)
        found.switches++
        found.leftovers.push(...(await leftoversOf(world, model)))
        await sleep(QUIET_MS)
      }
      await client(['--drop-old', '--yes'], { mayBeDone: true })
      found.leftovers.push(...(await leftoversOfDrop(world)))
    }
  } finally {
    stop.abort()
    await background
  }
  return { ...asking.report, ...found, seconds: (performance.now() - startedAt) / 1000 }
}

/** Runs the client until it ends by itself, after any number of kills. */
function startClient({ urls, token }: SwitchWorld, random: () => number, found: { kills: number }) {
  /** How long a run takes that is not killed. */
  let runMs = 3_000
  return async (args: readonly string[], { mayBeDone = false } = {}) => {
    for (;;) {
      const startedAt = performance.now()
      const env = { PATH: process.env.PATH, SVC_API_URL: urls[0], SVC_API_KEY: token }
      const child = spawn(
        process.execPath,
        [CLIENT, 'db', 'embed', 'docs', '--table', 'docs', '--timeout', '600', ...args],
        {
          env,
          stdio: ['ignore', 'ignore', 'pipe'],
        },
      )
      const errors = text(child.stderr)
      const timer = random() < KILLED_SHARE ? setTimeout(() => child.kill('SIGKILL'), random() * runMs) : undefined
      const [code, signal] = (await once(child, 'exit')) as [number | null, string | null]
      clearTimeout(timer)
      if (signal === null) runMs = Math.max(runMs, performance.now() - startedAt)
      else found.kills++
      if (code === 0) return
      const message = await errors
      if (mayBeDone && message.includes('has no vector column that a switch left behind')) return
      if (signal === null) throw new Error(message)
    }
  }
}

/** A program of the customer: it changes rows all the time, and adds one now and then. */
async function writeRows({ run }: SwitchWorld, random: () => number, stop: AbortSignal): Promise<void> {
  for (let n = 1; !stop.aborted; n++) {
    await run(`update docs set touched = touched + 1 where id = ${Math.floor(random() * 100)}`)
    if (n % 20 === 0) await run(`insert into docs (id, title) values (${1_000_000 + n}, 'new ${n}')`)
    await sleep(50)
  }
}

async function leftoversOf({ run }: SwitchWorld, model: ModelName): Promise<string[]> {
  const [row] = await run(`select
      (select count(*)::int from docs where ${COLUMNS[model]} is null and id < 1000000) as missing,
      (select count(*)::int from pg_index where indrelid = 'docs'::regclass and not indisvalid) as broken,
      (select count(*)::int from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
        where i.indrelid = 'docs'::regclass and a.attname = '${COLUMNS[model]}' and i.indisvalid) as indexes,
      (select count(*)::int from pg_trigger where tgrelid = 'docs'::regclass) as triggers`)
  const expected = { missing: 0, broken: 0, indexes: 1, triggers: 1 }
  return JSON.stringify(row) === JSON.stringify(expected) ? [] : [`after a switch to ${model}: ${JSON.stringify(row)}`]
}

async function leftoversOfDrop({ run }: SwitchWorld): Promise<string[]> {
  const [row] = await run(`select
      (select count(*)::int from pg_attribute where attrelid = 'docs'::regclass and attname = '${COLUMNS.after}') as columns,
      (select count(*)::int from pg_proc where proname like 'zz_svc_%') as functions`)
  return JSON.stringify(row) === '{"columns":0,"functions":0}' ? [] : [`after a drop: ${JSON.stringify(row)}`]
}
