import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Load } from '../help/load.ts'
import type { Source } from '../help/source.ts'
import { PG_BIN } from '../help/stores.ts'

const run = promisify(execFile)
/** Number of questions, one script each. Small, because every client prepares every statement in every run. */
const QUESTIONS = 16

/** Runs the product's own prepared statement with pgbench from the same number of clients. */
export async function pgbench(
  { statement, rawUrl }: Source,
  questions: readonly string[],
  concurrency: number,
  seconds: number,
): Promise<Load> {
  const dir = await mkdtemp(join(tmpdir(), 'svc-pgbench-'))
  try {
    const scripts = questions.slice(0, QUESTIONS).map((vector, i) => ({ file: join(dir, `${i}.sql`), vector, i }))
    for (const { file, i } of scripts) await writeFile(file, scriptOf(statement, `q${i}`))
    const { stdout } = await run(join(PG_BIN, 'pgbench'), [
      ...`-n -l -M prepared -c ${concurrency} -j ${Math.min(2, concurrency)} -T ${seconds}`.split(' '),
      '--log-prefix',
      join(dir, 'log'),
      ...scripts.flatMap(({ file, vector, i }) => ['-f', file, '-D', `q${i}=${vector}`]),
      ...statement.values.flatMap((value, i) => (value === null ? [] : ['-D', `v${i}=${value}`])),
      rawUrl,
    ])
    const took = await latencies(dir)
    const at = (share: number) => took[Math.floor(took.length * share)] ?? Number.NaN
    // If a busy machine cannot connect all clients in time, pgbench prints no rate.
    const perSecond = Number(/tps = ([\d.]+)/.exec(stdout)?.[1] ?? 0)
    return { perSecond, p50: at(0.5), p99: at(0.99), asked: took.length }
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

function scriptOf({ text, values }: Source['statement'], vector: string): string {
  return `${text.replace(/\$(\d+)/g, (_, n: string) => (values[Number(n) - 1] === null ? `:${vector}` : `:v${Number(n) - 1}`))};\n`
}

/** Reads the latencies in milliseconds, sorted; the third column of the log has microseconds. */
async function latencies(dir: string): Promise<Float64Array> {
  const logs = (await readdir(dir)).filter((name) => name.startsWith('log'))
  const texts = await Promise.all(logs.map((name) => readFile(join(dir, name), 'utf8')))
  const lines = texts.flatMap((text) => text.split('\n').filter((line) => line !== ''))
  return Float64Array.from(lines, (line) => Number(line.split(' ')[2]) / 1000).sort()
}
