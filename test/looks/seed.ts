import { ingestLogs } from '#contract/apps/logs.ts'
import { createInvitation } from '#contract/auth/members.ts'
import { createToken } from '#contract/auth/tokens.ts'
import { createCheck } from '#contract/checks/checks.ts'
import { configureSource } from '#contract/data-sources/search-config.ts'
import { exposeSource } from '#contract/data-sources/sources.ts'
import { addEmail } from '#contract/notifications/email.ts'
import { setFollow } from '#contract/notifications/follows.ts'
import { listPipelines, runPipeline } from '#contract/pipelines.ts'
import { fileTicket, replyToTicket } from '#contract/tickets.ts'
import { newId } from '#edge/ids.ts'
import { sql } from '#lib/db/sql.ts'
import { makeLive, makeLiveApp, uploadFiles } from '#test/apps/live-app.ts'
import { proposeChange } from '#test/apps/proposed-change.ts'
import { entry, makeSource } from '#test/sources/configured-source.ts'
import type { System } from '#test/system.ts'
import { connectRawWorker } from '#test/work/raw-worker.ts'

type Owner = Awaited<ReturnType<System['member']>>

const HOUR_MS = 3_600_000
const ARTICLES = `
  create table articles (id text primary key, title text, body text, category text, embedding vector(384));
  insert into articles
  select 'a' || n, 'Article ' || n, repeat('How we work, in words. ', 4), 'leave', array_fill(0.1, array[384])::vector
  from generate_series(1, 12) n`
const BEFORE = `export function total(items) {
  return items.map((item) => item.price).reduce((a, b) => a + b)
}
`
const AFTER = `export function total(items) {
  // An empty basket has no first item to begin with.
  return items.map((item) => item.price ?? 0).reduce((a, b) => a + b, 0)
}
`

/** Fills an organization so that every page has something to show. Returns the id for each kind of page. */
export async function seed(system: System, owner: Owner): Promise<Record<string, string>> {
  const client = system.client(owner.token)
  const names = ['Ada Lovelace', 'Grace Hopper', 'Barbara Liskov']
  const people = await Promise.all(names.map(() => system.member('developer', owner.org_id)))
  for (const [index, { user_id }] of people.entries()) {
    await system.db.query(sql`update auth.users set name = ${names[index]!} where id = ${user_id}`)
  }
  const source = await makeSource(client, 'handbook', ARTICLES)
  const connection_config = { embedding_configs: [entry({ label: 'articles' })] }
  await client.call(configureSource, { id: source.source_id, connection_config, filter_schema: { category: 'string' } })
  await client.call(exposeSource, { id: source.source_id, exposed: true, min_role: 'viewer' })
  await makeSource(client, 'prices', ARTICLES)
  await addQuestions(system, [owner, ...people])

  const app = await makeLiveApp(system, owner, {
    alias: 'shop',
    files: { 'server.js': BEFORE },
    message: 'Add the prices of cocoa',
  })
  await makeLiveApp(system, owner, { alias: 'warehouse-synchronisation', files: { 'server.js': BEFORE } })
  const revisionId = await uploadFiles(system, owner, {
    alias: 'shop',
    files: { 'server.js': `${BEFORE}// 2\n` },
    message: 'Count the basket in the database, so that two tills agree',
  })
  await makeLive(system, { id: app.id, revisionId })
  await client.call(setFollow, { app: 'shop', categories: ['maintenance', 'tickets', 'checks'] })
  const lines = Array.from({ length: 60 }, (_, n) =>
    JSON.stringify({ level: ['info', 'warn', 'error'][n % 3], text: `GET /basket/${n} answered in ${n * 7} ms` }),
  )
  await client.upload(ingestLogs, { alias: 'shop' }, new Blob([lines.join('\n')]).stream(), {
    contentType: 'application/x-ndjson',
  })
  const checkId = await addChecks(system, owner)
  const ticket = { alias: 'shop', title: 'The price of cocoa is missing', body: 'The basket says 500 if it has cocoa.' }
  const { id: ticketId } = await client.call(fileTicket, ticket)
  await client.call(replyToTicket, { alias: 'shop', ticket_id: ticketId, body: 'Cocoa comes tomorrow.' })
  const pipelineId = await addWorker(system, owner)
  const live = { ...app, revisionId }
  const { proposalId, runId } = await proposeChange(system, {
    app: live,
    person: owner,
    files: { 'server.js': AFTER },
    summary: 'An empty basket crashes the request: reduce of an empty list without a first value.',
  })
  await client.call(createToken, { name: 'laptop' })
  await client.call(createInvitation, { org_id: owner.org_id, email: 'katherine@example.com', role: 'developer' })
  await client.call(addEmail, { address: 'team@example.com' })
  const [deploy] = await system.db.query<{ id: string }>(sql`select id from apps.deploys where app_id = ${app.id}`)
  return {
    deploys: deploy!.id,
    revisions: revisionId,
    checks: checkId,
    tickets: ticketId,
    pipelines: pipelineId,
    maintenance: runId,
    changes: proposalId,
  }
}

async function addQuestions({ db }: System, people: readonly Owner[]): Promise<void> {
  for (let n = 0; n < 120; n++) {
    const { org_id, user_id } = people[(n * n) % people.length]!
    const at = new Date(Date.now() - n * 1.4 * HOUR_MS)
    const status = n % 17 === 0 ? 503 : n % 11 === 0 ? null : 200
    const [type, target] =
      n % 4 === 0 ? ['function', 'shop/greet'] : ['data_source', n % 3 ? 'db_handbook' : 'db_prices']
    await db.query(sql`
      insert into activity.records
        (id, org_id, type, source, target, principal_kind, principal_id, user_id, asked_at, counted, key_id, digest,
         question_bytes, status, duration_ms, answer_bytes)
      values (${newId('act', at.getTime())}, ${org_id}, ${type}, ${['api', 'mcp', 'cli'][n % 3]}, ${target}, 'user',
              ${user_id}, ${user_id}, ${at}, true, 'key', ${Buffer.alloc(16)}, 1, ${status},
              ${status === null ? null : 20 + ((n * 37) % 400)}, ${status === null ? null : 900})`)
  }
}

async function addChecks(system: System, owner: Owner): Promise<string> {
  const client = system.client(owner.token)
  const ids: string[] = []
  for (const [name, state] of [
    ['Prices answer', 'fail'],
    ['Basket opens', 'pass'],
  ] as const) {
    const definition = { kind: 'http', target: '/up' } as const
    const check = { alias: 'shop', name, definition, schedule: { cron: '0 * * * *' } }
    const { id } = await client.call(createCheck, check)
    ids.push(id)
    await system.db.query(sql`update checks.checks set state = ${state}, state_since = now() where id = ${id}`)
    for (let hours = 1; hours < 700; hours += 23) {
      const ended = new Date(Date.now() - hours * HOUR_MS)
      const verdict = state === 'fail' && hours < 30 ? 'fail' : hours % 13 === 0 ? 'indeterminate' : 'pass'
      await system.db.query(sql`
        insert into checks.runs (id, check_id, org_id, app_id, trigger, state, created_at, started_at, ended_at, verdict)
        select ${newId('ckr', ended.getTime())}, id, org_id, app_id, 'schedule', 'ended', ${ended}, ${ended}, ${ended}, ${verdict}
        from checks.checks where id = ${id}`)
    }
  }
  return ids[0]!
}

async function addWorker(system: System, owner: Owner): Promise<string> {
  const client = system.client(owner.token)
  const input_schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }
  const worker = await connectRawWorker(client, 'shop', {
    pipelines: [{ name: 'nightly', description: 'Prints the prices', schedule: '0 3 * * *' }],
    functions: [{ name: 'greet', description: 'Greets a person', input_schema }],
  })
  await client.call(runPipeline, { alias: 'shop', name: 'nightly' })
  const { call_id, fence } = await worker.nextCall()
  await worker.report({ call_id, fence, error: 'out of paper' })
  await worker.close()
  const { items } = await client.call(listPipelines, { alias: 'shop' })
  return items[0]!.id
}
