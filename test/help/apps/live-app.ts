import { createApp } from '#contract/apps/apps.ts'
import { uploadRevision } from '#contract/apps/revisions.ts'
import { newId } from '#edge/ids.ts'
import { sql } from '#lib/db/sql.ts'
import { createRedactor } from '#lib/redact/redact.ts'
import { systemClock } from '#lib/time/clock.ts'
import { createAppDeploys, createAppSource, createSaveChange, diffTexts } from '../../../src/server/areas/apps/index.ts'
import type { System } from '../system.ts'
import { tarOf } from '../tar.ts'

type Person = { readonly token: string; readonly org_id: string }
type Source = { readonly alias: string; readonly files: Readonly<Record<string, string>>; readonly message?: string }
export type LiveApp = { readonly id: string; readonly alias: string; readonly revisionId: string }

/**
 * Makes an app with a live revision. The test holds the lease of its host, so no process runs it and deploys stay in the
 * state that the test gives them. The holder names the process of the test: the lease of a dead one would be taken over.
 */
export async function makeLiveApp(system: System, person: Person, { alias, ...source }: Source): Promise<LiveApp> {
  await system.client(person.token).call(createApp, { alias, settings: { start_command: 'node server.js' } })
  const [app] = await system.db.query<{ id: string }>(sql`
    select id from apps.apps where org_id = ${person.org_id} and alias = ${alias}`)
  await system.db.query(sql`
    insert into svc.leases (name, holder, fence, expires_at)
    values (${`app-host:${app!.id}`}, ${`${system.db.instance}/the test`}, nextval('svc.fences'),
      now() + interval '1 day')`)
  const live = { id: app!.id, alias, revisionId: await uploadFiles(system, person, { alias, ...source }) }
  await makeLive(system, live)
  return live
}

export async function uploadFiles(
  system: System,
  { token }: Person,
  { alias, files, message }: Source,
): Promise<string> {
  const parts = Object.entries(files).map(([name, content]) => ({ name, content }))
  const stream = new Blob([tarOf(parts)]).stream()
  const upload = { contentType: 'application/x-tar' } as const
  const input = { alias, ...(message !== undefined && { message }) }
  return (await system.client(token).upload(uploadRevision, input, stream, upload)).id
}

/** Makes a revision the live one, as the end of its deploy does. */
export async function makeLive({ db }: System, { id, revisionId }: Omit<LiveApp, 'alias'>): Promise<void> {
  await db.query(sql`
    update apps.deploys set state = 'retired', ended_at = now() where app_id = ${id} and state = 'live'`)
  await db.query(sql`
    insert into apps.deploys (id, app_id, org_id, revision_id, kind, state, created_at, live_at)
    select ${newId('dep')}, id, org_id, ${revisionId}, 'deploy', 'live', now(), now() from apps.apps where id = ${id}`)
}

/** Returns the ports of area apps that area maintenance gets. */
export function appPorts({ db }: System) {
  const clock = systemClock
  return {
    source: createAppSource({ db }),
    diffTexts,
    saveChange: createSaveChange({ db, clock, maxStoreBytes: 2 ** 30 }),
    deploys: createAppDeploys({ clock, deploysOff: undefined }),
    trials: { off: 'the test runs nothing' },
    redactorOf: async () => createRedactor({}),
  }
}
