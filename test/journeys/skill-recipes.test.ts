import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, glob, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type FakeChat, startFakeChat } from '#test/outside/fake-chat.ts'
import { runIn } from '#test/sources/configured-source.ts'
import { type System, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'
import { buildCli } from '../../scripts/build-cli.ts'
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
    // The client of a release, because the test starts it a hundred times and its sources take longer to load.
    await buildCli(join(folder, 'client', 'dist'))
    await cp(join(ROOT, 'bin'), join(folder, 'client', 'bin'), { recursive: true })
    await writeFile(join(folder, 'client', 'package.json'), '{ "type": "module" }')
    const svc = `#!/bin/sh\nexec "${process.execPath}" "${join(folder, 'client', 'bin', 'svc.js')}" "$@"\n`
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

  /** Every script that the agent ran, so that the last test knows which commands of the skills are left. */
  const scripts: string[] = []
  const sh = async (script: string, more: Record<string, string> = {}) => {
    scripts.push(script)
    return (await run('sh', ['-ec', script], { cwd: folder, env: { ...env, ...more } })).stdout
  }

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
    const [embed, switchOn, configure, expose, ask] = await blocks(guide, 'sh')
    await runIn(
      connection,
      `insert into public.articles values ('late', 'Parking', 'Park behind the house.', 'travel')`,
    )
    await sh(embed!)
    const unfilled = await runIn(connection, 'select id from public.articles where embedding is null')
    expect(unfilled).toEqual([])
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
    await packSdk(join(place, 'node_modules', '@svc-instance/worker-sdk'))
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
    const createdToken = JSON.parse(await sh('svc tokens create nightly-report --expires-days 90 -o json')) as {
      id: string
    }
    expect(await sh('svc tokens list -o json')).toContain(createdToken.id)
    await sh(`svc tokens revoke ${createdToken.id} --yes`)
    expect(await sh('svc tokens list -o json')).not.toContain(createdToken.id)
    expect(JSON.parse(await sh('svc activity --type data_sources --limit 20 -o json'))).toHaveProperty('items')
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

  it('SK-06 every other command in a code block of a skill works as it stands, with its placeholders filled in', async () => {
    const viewer = await system.member('viewer', orgId)
    await writeFile(join(folder, 'key.txt'), env.SVC_API_KEY!)
    const createdToken = JSON.parse(await sh('svc tokens create to-revoke --expires-days 1 -o json')) as { id: string }
    const filled: Record<string, string> = {
      'https://svc.example.com': system.url,
      db_handbook: 'db_docs',
      '<alias>': 'shop',
      '<name>': 'greet',
      '<source_id>': 'db_docs',
      '<question>': 'when do I stay at home?',
      '[--filter column=value]': '--filter category=leave',
      '[--top-k 10]': '--top-k 10',
      '[--target <label>]': '--target articles',
      '<org_id>': orgId,
      '<email>': viewer.email,
      'tokens revoke <id>': `tokens revoke ${createdToken.id}`,
      'db create docs': 'db create spare',
      'db drop docs': 'db drop spare',
    }
    const fill = (line: string) => Object.entries(filled).reduce((text, [from, to]) => text.replaceAll(from, to), line)
    const done = scripts.join('\n').replaceAll('\\\n', '')
    const left = (await commandsOfSkills())
      .filter((line) => !NOT_RUN.some(([command]) => command === line))
      .map(fill)
      // The recipe of an app ran the commands about a ticket with its id.
      .filter((line) => !done.includes(line) && !line.includes('<ticket_id>'))
    const failures: string[] = []
    for (const line of left) {
      const isAboutLogins = /^svc (login|context|logout)/.test(line)
      const own = isAboutLogins ? { SVC_CONFIG_DIR: join(folder, 'logins') } : {}
      await sh(isAboutLogins ? `unset SVC_API_URL SVC_API_KEY; ${line}` : line, own).catch((error: Error) =>
        failures.push(`${line}: ${error.message}`),
      )
    }
    expect(failures).toEqual([])
    expect(left.length).toBeGreaterThan(10)
  })
})

/** Commands that the agent cannot run here, with the reason and where they are proven. */
const NOT_RUN: readonly (readonly [command: string, reason: string])[] = [
  [
    'svc db embed docs --table public.articles --text title,body --model openai/text-embedding-3-small --switch --questions questions.yaml --yes',
    'needs an account with that provider; src/cli/commands/db/embed/switch/switch.test.ts',
  ],
  ['svc login', 'opens a browser; test/journeys/client.test.ts'],
  ['svc agents disconnect <id>', 'needs an agent that a person connected; test/journeys/client.test.ts'],
  [
    'svc apps proposals show shop <proposal_id> --diff',
    'needs a proposal of a model; src/cli/commands/apps/proposals/proposals.test.ts',
  ],
  ['svc notifications ack <id>', 'needs a notification; test/journeys/client.test.ts'],
  ['svc notifications list --since <id> -o json', 'needs a notification; test/journeys/mcp-subscriptions.test.ts'],
]

/** Each line of the code blocks of all skills that calls svc, as it is written. */
async function commandsOfSkills(): Promise<string[]> {
  const lines: string[] = []
  for await (const path of glob('**/*.md', { cwd: join(ROOT, 'skills') })) {
    const code = (await blocks(path, 'sh')).join('\n').replaceAll('\\\n', '')
    lines.push(...code.split('\n').filter((line) => line.startsWith('svc ')))
  }
  return [...new Set(lines)]
}

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
