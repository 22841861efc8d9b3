import { hash } from 'node:crypto'
import { newId } from '#edge/ids.ts'
import { sql } from '#lib/db/sql.ts'
import { recordFinding } from '../../../src/server/areas/maintenance/findings/store.ts'
import { openProposal } from '../../../src/server/areas/maintenance/proposals/open.ts'
import type { StoredProof } from '../../../src/server/areas/maintenance/proposals/validate/stored-proof.ts'
import type { System } from '../system.ts'
import { appPorts, type LiveApp, uploadFiles } from './live-app.ts'

type Change = {
  readonly app: LiveApp
  readonly person: { readonly token: string; readonly org_id: string }
  /** The whole files after the change. */
  readonly files: Readonly<Record<string, string>>
  readonly summary: string
  /** The person who started the run by hand. */
  readonly requestedBy?: string
  readonly proof?: StoredProof
}

/** Opens a proposal as the end of a run does, with a run that read the log. Returns the ids of both. */
export async function proposeChange(
  system: System,
  { app, person, files, summary, requestedBy, proof }: Change,
): Promise<{ proposalId: string; runId: string }> {
  const runId = newId('exe')
  const at = new Date()
  const fingerprint = hash('sha256', runId)
  const revisionId = await uploadFiles(system, person, { alias: app.alias, files })
  await system.db.query(sql`
    insert into maintenance.runs (id, org_id, app_id, mode, model, status, terminal_code, created_at, ended_at)
    values (${runId}, ${person.org_id}, ${app.id}, 'manual', 'test/model', 'ended', 'proposed', now(), now())`)
  await system.db.query(sql`
    insert into maintenance.evidence (run_id, n, kind, reference, sha256, bytes)
    values (${runId}, 1, 'logs', 'last 24 hours', ${'ab'.repeat(32)}, 18)`)
  const opened = await system.db.tx(async (tx) => {
    const fault = { kind: 'error_in_code', path: 'server.js', symbol: null, template: 't', summary } as const
    await recordFinding(tx, { ...fault, appId: app.id, runId, fingerprint, at })
    return openProposal(tx, appPorts(system), {
      orgId: person.org_id,
      app: { id: app.id, alias: app.alias, name: app.alias },
      runId,
      requestedBy: requestedBy ?? null,
      fingerprint,
      summary,
      baseRevisionId: app.revisionId,
      change: proof
        ? { validation: 'tested', notes: [], revisionId, proof }
        : { validation: 'static', notes: ['No test command is set.'], revisionId },
      at,
    })
  })
  if (typeof opened === 'string') throw new Error(`no proposal: ${opened}`)
  return { proposalId: opened.proposalId, runId }
}
