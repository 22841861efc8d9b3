import { ServiceError } from '#contract/core/errors.ts'
import { dumpDatabase } from '#contract/databases.ts'
import { type Route, route } from '#edge/route/route.ts'
import { auditBy } from '#ports/audit.ts'
import { sqlOf } from '../dump/sql-dump.ts'
import { needReady } from '../life/connect.ts'
import { refuseWhileMoving } from '../move/rescue.ts'
import type { DatabaseDeps } from '../servers/deps.ts'
import { textOf, withoutTemplateComment } from './text.ts'

/** Dumps of this process at once. Each reads a whole database; an organization has one, so that none takes them all. */
const MAX_DUMPS = 4
const RETRY_SECONDS = 5

export function dumpRoute(deps: DatabaseDeps): Route {
  const enter = dumpSlots()
  return route(dumpDatabase, async function* ({ name }, { principal, signal }) {
    using _slot = enter()
    const row = await needReady(deps, principal.org_id, name)
    await refuseWhileMoving(deps.db, row)
    const entry = { action: 'database.dumped', target: row.id, detail: { name }, at: deps.clock.now() }
    await deps.db.tx((tx) => auditBy(tx, principal, entry))
    let bytes = 0
    for await (const sql of withoutTemplateComment(textOf(sqlOf(deps, row, signal)))) {
      bytes += Buffer.byteLength(sql)
      yield { sql, total_bytes: null }
    }
    yield { sql: '', total_bytes: bytes }
  })
}

function dumpSlots(): () => Disposable {
  let running = 0
  return () => {
    if (running >= MAX_DUMPS) {
      const detail = `${MAX_DUMPS} databases are being dumped already. Try again in ${RETRY_SECONDS} seconds.`
      throw new ServiceError('RATE_LIMITED', detail, { retryAfterSeconds: RETRY_SECONDS })
    }
    running++
    return {
      [Symbol.dispose]() {
        running--
      },
    }
  }
}
