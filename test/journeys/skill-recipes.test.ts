import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type FakeChat, startFakeChat } from '#test/fake-chat.ts'
import { type System, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'
import { packSdk } from '../../scripts/pack-sdk.ts'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '..', '..')

/** Code blocks of a skill file in their order, by language. */
async function blocks(path: string, language: string): Promise<string[]> {
  const text = await readFile(join(ROOT, 'skills', path), 'utf8')
  return [...text.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, code]) => code!)
}

/** An agent that does what the skills say, word for word, as an owner of a new organization. */
describe('following the skills', () => {
  let system: System
  let provider: FakeChat
  let folder: string
  let env: Record<string, string>
  let orgId: string

  beforeAll(async () => {
    provider = await startFakeChat()
    const providers = JSON.stringify([provider.provider('acme')])
    system = await startSystem({ env: { SVC_ALLOW_PROCESS_DEPLOYS: 'true', SVC_AI_PROVIDERS: providers } })
    folder = await mkdtemp(join(tmpdir(), 'svc-recipes-'))
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
    const svc = `#!/bin/sh\nexec "${process.execPath}" "${join(ROOT, 'bin', 'svc.js')}" "$@"\n`
    await writeFile(join(folder, 'svc'), svc, { mode: 0o755 })
    const { token, org_id } = await system.member('owner')
    orgId = org_id
    env = { PATH: `${folder}:${process.env.PATH}`, HOME: folder, SVC_API_URL: system.url, SVC_API_KEY: token }
  })
  afterAll(async () => {
    await system?.[Symbol.asyncDispose]()
    await provider?.[Symbol.asyncDispose]()
    await rm(folder, { recursive: true, force: true })
  })

  const sh = async (script: string, more: Record<string, string> = {}) =>
    (await run('sh', ['-ec', script], { cwd: folder, env: { ...env, ...more } })).stdout

  it('SK-06 from an empty database to an answered question', async () => {
    const guide = 'svc/references/data-sources-configure.md'
    await sh('svc db create docs')
    const connection = (await sh('svc db connect docs -q')).trim()
    await fillTable(connection, (await blocks(guide, 'sql'))[0]!)

    await writeFile(
      join(folder, 'fill.ts'),
      (await blocks('svc-ai-gateway/references/fill-a-vector-column.md', 'ts'))[0]!,
    )
    await sh(`"${process.execPath}" fill.ts`, { CONNECTION: connection })

    await writeFile(join(folder, 'search.json'), (await blocks(guide, 'json'))[0]!)
    const [switchOn, configure, expose, ask] = await blocks(guide, 'sh')
    expect(JSON.parse(await sh(switchOn!))).toMatchObject({ source_id: 'db_docs', enabled: true, exposed: false })
    expect(JSON.parse(await sh(configure!))).toMatchObject({ filter_schema: { category: 'string' } })
    const stored = JSON.parse(await sh('svc api GET /api/wf/data-sources/db_docs')) as Stored
    const { connection_config, filter_schema } = stored
    await writeFile(join(folder, 'search.json'), JSON.stringify({ connection_config, filter_schema }))
    expect(JSON.parse(await sh(configure!))).toMatchObject({ connection_config, filter_schema })
    expect(JSON.parse(await sh(expose!))).toMatchObject({ exposed: true, min_role: 'viewer' })
    const { results } = JSON.parse(await sh(ask!)) as { results: { id: string }[] }
    expect(results.map(({ id }) => id)).toEqual(['sick'])

    const tools = (await blocks('svc/references/connect-by-mcp.md', 'sh')).at(-1)!
    expect(await sh(tools)).toContain('data_source_query')
    expect(await sh('svc datasource list -o json')).toContain('"id": "db_docs"')
  })

  it('SK-06 models and embeddings, read as the skill shows', async () => {
    const [models] = (await blocks('svc-ai-gateway/references/models.md', 'sh')) as [string]
    const [list] = (await blocks('svc-ai-gateway/references/models.md', 'json')) as [string]
    expect(JSON.parse(await sh(models))).toEqual(JSON.parse(list))
    const [embed] = (await blocks('svc-ai-gateway/SKILL.md', 'sh')) as [string]
    const { data } = JSON.parse(await sh(embed)) as { data: { embedding: number[] }[] }
    expect(data.map(({ embedding }) => embedding.length)).toEqual([384, 384])
    const asText = embed.replace('"input"', '"encoding_format": "base64", "input"')
    const coded = JSON.parse(await sh(asText)) as { data: { embedding: string }[] }
    const [decode] = (await blocks('svc-ai-gateway/references/embeddings.md', 'ts')) as [string]
    const program = `const embedding = process.env.EMBEDDING!\n${decode}\nconsole.log(JSON.stringify(vector))`
    await writeFile(join(folder, 'decode.ts'), program)
    const decoded = await sh(`"${process.execPath}" decode.ts`, { EMBEDDING: coded.data[0]!.embedding })
    expect(JSON.parse(decoded)).toEqual(data[0]!.embedding)
  })

  it('SK-06 a chat model of a provider answers as the skill shows', async () => {
    const [chat] = (await blocks('svc-ai-gateway/references/chat.md', 'sh')) as [string]
    const [shown] = (await blocks('svc-ai-gateway/references/chat.md', 'json')) as [string]
    provider.next.push({ text: 'Hello.', usage: { input: 9, output: 3 } })
    expect(JSON.parse(await sh(chat))).toMatchObject(JSON.parse(shown) as object)
  })

  it('SK-06 an app from an empty folder, with logs, checks, tickets and maintenance', async () => {
    const guide = 'svc/references/apps-and-maintenance.md'
    const [deploy, look, check, tickets, maintain] = await blocks(guide, 'sh')
    const shop = join(folder, 'shop')
    await mkdir(shop)
    await writeFile(join(shop, 'server.mjs'), (await blocks(guide, 'js'))[0]!)
    const inShop = (script: string) => sh(`cd shop\n${script}`)

    expect(await inShop(deploy!)).toContain('"live_deploy": {')
    expect(await inShop(look!)).toContain('"GREETING"')
    const checked = await inShop(check!)
    expect(checked).toContain('"verdict": "pass"')
    expect(checked).not.toContain('"verdict": "fail"')

    const [file, list, ...replies] = tickets!.trim().split('\n')
    const { id } = JSON.parse(await inShop(file!)) as { id: string }
    expect(await inShop(list!)).toContain(id)
    await inShop(replies.join('\n').replaceAll('<ticket_id>', id))
    expect(JSON.parse(await inShop(`svc tickets show shop ${id} -o json`))).toMatchObject({ status: 'done' })

    const maintained = await inShop(maintain!.replaceAll('<org_id>', orgId))
    expect(maintained).toContain('"found_nothing"')
  })

  it('SK-06 a worker that serves a function and a pipeline, and those who call them', async () => {
    const guide = 'svc/references/functions-and-pipelines.md'
    const [call, pipelines] = await blocks(guide, 'sh')
    const place = join(folder, 'worker')
    await packSdk(join(place, 'node_modules', 'svc-worker-sdk'))
    await writeFile(join(place, 'worker.mjs'), (await blocks(guide, 'js'))[0]!)
    const worker = spawn(process.execPath, ['worker.mjs'], {
      cwd: place,
      env: { PATH: env.PATH, SVC_API_URL: system.url, SVC_APP: 'shop', SERVER_API_TOKEN: env.SVC_API_KEY },
      stdio: 'inherit',
    })
    try {
      await until(async () => (await sh('svc functions list --app shop -o json')).includes('"connected": true'))
      expect(await sh(call!)).toContain('"text": "Hello Ada"')
      const ran = await sh(pipelines!)
      expect(ran).toContain('"state": "succeeded"')
      const [runId] = /plr_\w+/.exec(ran)!
      expect(await sh(`svc pipelines logs shop nightly-report ${runId}`)).toContain('report written')
    } finally {
      await end(worker)
    }
  })

  it('SK-06 tokens, people and the API by hand', async () => {
    const me = JSON.parse(await sh('svc api GET /api/v1/me')) as { role: string }
    expect(me.role).toBe('owner')
    const made = JSON.parse(await sh('svc tokens create nightly-report --expires-days 90 -o json')) as { id: string }
    expect(await sh('svc tokens list -o json')).toContain(made.id)
    await sh(`svc tokens revoke ${made.id} --yes`)
    expect(await sh('svc tokens list -o json')).not.toContain(made.id)
    expect(JSON.parse(await sh('svc api GET "/api/activity?type=data_sources&limit=20"'))).toHaveProperty('items')
    expect(JSON.parse(await sh('svc status --json'))).toMatchObject({ logged_in: true, principal: { role: 'owner' } })
    expect(JSON.parse(await sh('svc notifications list --unread -o json'))).toEqual({ items: [], next_cursor: null })
    expect(JSON.parse(await sh('svc agents list -o json'))).toEqual({ items: [], next_cursor: null })
  })

  it('SK-06 a refusal looks as the skill says', async () => {
    const refusal = await sh('svc datasource query db_none "x" -o json').then(
      () => undefined,
      (error: { code: number; stdout: string; stderr: string }) => error,
    )
    expect([refusal!.code, refusal!.stdout]).toEqual([4, ''])
    expect(JSON.parse(refusal!.stderr)).toMatchObject({ error: { code: 'NOT_FOUND', exit_code: 4 } })
  })
})

/** Ends the worker as an operator would; its exit code says whether it ended by itself. */
async function end(worker: ChildProcess): Promise<void> {
  const ended = once(worker, 'exit')
  worker.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
}

type Stored = { connection_config: object; filter_schema: object }

async function fillTable(connectionString: string, sql: string): Promise<void> {
  const db = new pg.Client({ connectionString })
  await db.connect()
  try {
    await db.query(sql)
    await db.query(`insert into public.articles values
      ('sick', 'Sick days', 'Stay at home when you are ill and tell your manager in the morning.', 'leave'),
      ('cars', 'Company cars', 'Vehicles are booked at reception and returned with a full tank.', 'travel')`)
  } finally {
    await db.end()
  }
}
