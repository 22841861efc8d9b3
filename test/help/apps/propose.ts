import { newId } from '#edge/ids.ts'
import { sql } from '#lib/db/sql.ts'
import type { Edit } from '../../../src/server/areas/maintenance/edits/apply-edits.ts'
import { openProposal } from '../../../src/server/areas/maintenance/proposals/open.ts'
import { validateChange } from '../../../src/server/areas/maintenance/proposals/validate/validate-change.ts'
import type { System } from '../system.ts'
import { appPorts } from './live-app.ts'

type Proposed = { org_id: string; alias: string; requestedBy: string | null; edits: readonly Edit[] }

/** Proposes edits of the live revision, as a run that a person started does at its end. Returns the id of the proposal. */
export async function proposeEdits(system: System, { org_id, alias, requestedBy, edits }: Proposed): Promise<string> {
  const ports = appPorts(system)
  const runId = newId('exe')
  const [app] = await system.db.query<{ id: string; name: string }>(sql`
    select id, name from apps.apps where org_id = ${org_id} and alias = ${alias}`)
  const { id: appId, name } = app!
  const { revisionId } = (await ports.source.live(org_id, appId))!
  await system.db.query(sql`
    insert into maintenance.runs
      (id, org_id, app_id, mode, model, requested_by, status, terminal_code, created_at, ended_at)
    values (${runId}, ${org_id}, ${appId}, 'manual', 'test/model', ${requestedBy}, 'ended', 'proposed', now(), now())`)
  for (const [n, { path, old_text, new_text }] of edits.entries()) {
    await system.db.query(sql`
      insert into maintenance.edits (run_id, n, path, old_text, new_text)
      values (${runId}, ${n + 1}, ${path}, ${old_text}, ${new_text})`)
  }
  const summary = 'The answer is wrong'
  const change = await validateChange(ports, {
    orgId: org_id,
    appId,
    revisionId,
    edits,
    summary,
    hold: async () => true,
    signal: new AbortController().signal,
  })
  const opened = await system.db.tx((tx) =>
    openProposal(tx, ports, {
      orgId: org_id,
      app: { id: appId, alias, name },
      runId,
      requestedBy,
      fingerprint: runId,
      summary,
      baseRevisionId: revisionId,
      change: change!,
      at: new Date(),
    }),
  )
  if (typeof opened === 'string') throw new Error(opened)
  return opened.proposalId
}
