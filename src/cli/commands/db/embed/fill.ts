import { createEmbeddings } from '#contract/ai.ts'
import type { Client } from '#contract/core/client.ts'
import { paced } from '../../../call/paced.ts'
import { cutText, toBatches } from './batches.ts'
import type { Connection } from './connection.ts'
import { checkSize } from './find-model.ts'
import type { FoundTable } from './find-table.ts'
import { type Row, readRows, writeVectors } from './rows.ts'

const PAGE_ROWS = 480
/** Rows that are changed again and again while they are embedded are left for the next run. */
const MAX_PASSES = 3

export type Filling = { client: Client; db: Connection; table: FoundTable; model: string; onProgress: OnProgress }
type OnProgress = (change: { embedded?: number; waitSeconds?: number | undefined }) => void
export type Filled = { embedded: number; empty: number; changed: number }

/** Fills every row without a vector. Each batch is written at once, so that a run that is broken off can be repeated. */
export async function fill(filling: Filling): Promise<Filled> {
  let total = { embedded: 0, empty: 0, changed: 0 }
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const { embedded, empty, changed } = await fillOnce(filling)
    total = { embedded: total.embedded + embedded, empty, changed }
    if (changed === 0) break
  }
  return total
}

async function fillOnce(filling: Filling): Promise<Filled> {
  const filled = { embedded: 0, empty: 0, changed: 0 }
  let after: readonly string[] | undefined
  for (;;) {
    const page = await readRows(filling.db, filling.table, after, PAGE_ROWS)
    if (page.length === 0) return filled
    after = page.at(-1)!.keys
    const rows = page.map((row) => ({ ...row, text: cutText(row.text) })).filter(({ text }) => text !== '')
    filled.empty += page.length - rows.length
    for (const batch of toBatches(rows)) {
      const written = await fillBatch(filling, batch)
      filled.embedded += written
      filled.changed += batch.length - written
      filling.onProgress({ embedded: written })
    }
  }
}

async function fillBatch({ client, db, table, model, onProgress }: Filling, batch: readonly Row[]): Promise<number> {
  const input = { model, input: batch.map(({ text }) => text) }
  const { data } = await paced(
    () => client.call(createEmbeddings, input),
    (waitSeconds) => onProgress({ waitSeconds }),
  )
  const vectors = data.toSorted((a, b) => a.index - b.index).map(({ embedding }) => embedding as number[])
  checkSize(vectors[0]!.length, model, table)
  return await writeVectors(db, table, batch, vectors)
}
