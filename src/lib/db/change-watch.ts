import { AsyncLocalStorage } from 'node:async_hooks'
import type { Sql } from './sql.ts'

/** Declared here, because `db.ts` imports this file. */
type Querier = { query<Row>(statement: Sql): Promise<Row[]> }

/** The database whose changes are watched, and the statement that marks one. */
type Watched = { instance: string; mark: (on: Querier) => Promise<unknown> }

/** The extent of changes that failed work may have made: none, those that the mark tells of, or also ones without it. */
export type Change = 'nothing' | 'marked' | 'anything'

/** `isOver` after the work: what it has woken, such as a job, runs on in its context and is none of it. */
const watch = new AsyncLocalStorage<Watched & { change: Change; isOver: boolean }>()

/**
 * Called by the database before each commit, inside its transaction, and before each statement outside a transaction that
 * may write. A committed transaction and its mark are one; the mark of a single statement may stand without its change.
 */
export async function changeBegins(instance: string, on: Querier): Promise<void> {
  const watched = watch.getStore()
  if (!watched || watched.isOver) return
  if (watched.instance !== instance) {
    watched.change = 'anything'
    return
  }
  await watched.mark(on)
  if (watched.change === 'nothing') watched.change = 'marked'
}

/** Runs the work. When it fails, `change` says which changes had begun and may have taken effect. */
export async function watchChanges<T>(
  { instance, mark }: Watched,
  work: () => Promise<T>,
): Promise<{ value: T } | { error: unknown; change: Change }> {
  const watched = { instance, mark, change: 'nothing' as Change, isOver: false }
  try {
    return { value: await watch.run(watched, work) }
  } catch (error) {
    return { error, change: watched.change }
  } finally {
    watched.isOver = true
  }
}
