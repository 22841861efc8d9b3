import { setTimeout as sleep } from 'node:timers/promises'
import { HintedError } from '../../../../command/hinted-error.ts'
import type { Cli } from '../../../../terminal/cli.ts'
import { type Connection, sqlStateOf } from '../connection.ts'
import type { SwitchTable } from './vector-columns.ts'

/** Questions queue behind a statement that waits for the lock of the table, so it waits no longer than this. */
const LOCK_WAIT_MS = 500
const PAUSE_MS = 1_000
const MAX_ATTEMPTS = 120
const LOCK_NOT_AVAILABLE = '55P03'

/**
 * Runs statements that lock the table, as one transaction. While another transaction uses the table they are tried again
 * after a pause, so that nobody waits behind them.
 */
export async function changeTable(
  db: Connection,
  { shown }: Pick<SwitchTable, 'shown'>,
  statements: readonly string[],
  cli: Pick<Cli, 'progress'>,
): Promise<void> {
  if (statements.length === 0) return
  const text = [`set local lock_timeout = '${LOCK_WAIT_MS}ms'`, ...statements].join(';\n')
  const attempt = async () => {
    for (let attempts = 1; ; attempts++) {
      try {
        await db.query(text)
        return
      } catch (error) {
        if (sqlStateOf(error) !== LOCK_NOT_AVAILABLE) throw error
        if (attempts === MAX_ATTEMPTS) throw inUse(shown, error)
        await sleep(PAUSE_MS)
      }
    }
  }
  await cli.progress(`Changing ${shown}`, attempt())
}

function inUse(table: string, cause: unknown): HintedError {
  const hint = 'Find it with: select pid, state, query from pg_stat_activity. End it, then run the command again.'
  return new HintedError('CONFLICT', `Another transaction has used ${table} for minutes.`, hint, cause)
}
