import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pssMb, start } from '../help/processes.ts'

export type Alone = { seconds: number; mb: number }

/** Node that does nothing. */
export function nodeAlone(): Promise<Alone> {
  return measure(`console.log('ready now'); setInterval(() => {}, 1e9)`)
}

/** The embedded engine with pgvector and its own defaults, which makes its cluster first, and then again with it. */
export async function engineAlone(): Promise<{ first: Alone; again: Alone }> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-pglite-'))
  const script = `
    const { PGlite } = await import('@electric-sql/pglite')
    const { vector } = await import('@electric-sql/pglite-pgvector')
    const db = await PGlite.create(${JSON.stringify(join(folder, 'data'))}, { extensions: { vector } })
    await db.query('select 1')
    console.log('ready now')
    setInterval(() => {}, 1e9)`
  try {
    return { first: await measure(script), again: await measure(script) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measure(script: string): Promise<Alone> {
  const began = performance.now()
  const options = { cwd: join(import.meta.dirname, '../..') }
  await using one = await start(process.execPath, ['--input-type=module', '-e', script], /ready (now)/, options)
  return { seconds: (performance.now() - began) / 1000, mb: pssMb(one.pid) }
}
