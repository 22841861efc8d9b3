import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { parse } from 'yaml'
import { type Checkout, installClient, makeCheckout } from '#test/programs/checkout.ts'
import { needsPrograms } from '#test/stores.ts'
import { type System, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const PAGE = readFileSync(join(ROOT, 'docs', 'data-sources.md'), 'utf8')
const run = promisify(execFile)

/** The blocks of the page in one language, as they stand there. */
function blocks(language: string): string[] {
  return [...PAGE.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, text]) => text!)
}

const withTools = needsPrograms('psql', 'curl', 'python3')
withTools('docs/data-sources.md, step by step', () => {
  const [environment, login, create, fill, configure, show, ask, activity, , fillOneself] = blocks('sh')
  const [tables, makeIndex] = blocks('sql')
  let system: System
  let checkout: Checkout

  beforeAll(async () => {
    system = await startSystem()
    const { token } = await system.member('admin')
    checkout = makeCheckout()
    installClient(checkout)
    Object.assign(checkout.env, { URL: system.url, KEY: token })
    writeFileSync(join(checkout.folder, 'fill.mts'), blocks('ts')[0]!)
    writeFileSync(join(checkout.folder, 'fill.py'), blocks('python')[0]!)
  })
  afterAll(async () => {
    await system?.[Symbol.asyncDispose]()
    checkout?.[Symbol.dispose]()
  })

  async function shell(script: string, input = ''): Promise<string> {
    const running = run('bash', ['-euo', 'pipefail', '-c', script], { env: checkout.env, cwd: checkout.folder })
    running.child.stdin!.end(input)
    return (await running).stdout
  }
  const psql = async (statement: string) => {
    checkout.env.DOCS ??= (await shell('svc db connect docs -q')).trim()
    return shell('psql -XAtq "$DOCS"', statement)
  }
  const vectors = () => psql('select id, embedding from public.articles order by id')

  it('has all the blocks this test runs', () => {
    expect([blocks('sh').length, blocks('sql').length, blocks('ts').length, blocks('python').length]).toEqual([
      10, 2, 1, 1,
    ])
  })

  it('OP-01 the address and the key come from the data folder of `npm start`', async () => {
    mkdirSync(join(checkout.folder, '.svc'))
    writeFileSync(join(checkout.folder, '.svc', 'first-run.json'), '{"api_key": "svc_first"}')
    expect(await shell(`${environment}echo "$URL $KEY"`)).toBe('http://127.0.0.1:8080 svc_first\n')
  })

  it('DS-01 DS-02 a login, a database, its tables', async () => {
    await shell(login!)
    await shell(create!, tables)
    expect(await psql('select id from public.articles where embedding is null order by id')).toBe('cars\nsick\n')
  })

  it('DS-24 the client fills the vectors', async () => {
    expect(await shell(fill!)).toBe('Filled 2 rows of public.articles.\n')
    expect(await vectors()).toMatch(/^cars\|\[[-\d.,e]{1000,}\]\nsick\|\[[-\d.,e]{1000,}\]\n$/)
  })

  it('DS-05 DS-08 it is switched on, configured and exposed', async () => {
    const [enabled, configured, exposed] = (await shell(configure!)).trimEnd().split('\n')
    expect(enabled).toBe('docs is a data source now: db_docs.')
    expect(JSON.parse(configured!)).toMatchObject({
      connection_config: { embedding_configs: [{ label: 'articles' }] },
      filter_schema: { category: 'string' },
    })
    expect(exposed).toBe('db_docs can be asked by the role viewer and above.')
  })

  it('DS-15 the plan says how it is searched, before and after an index is made', async () => {
    const plan = async () => (JSON.parse(await shell(show!)) as { plan: object[] }).plan
    expect(await plan()).toMatchObject([{ label: 'articles', method: 'exact' }])
    await psql(makeIndex!)
    expect(await plan()).toMatchObject([{ label: 'articles', method: 'hnsw', index: 'articles_embedding_idx' }])
  })

  it('DS-10 DS-22 the question is answered by the client and over HTTP', async () => {
    const answer = await shell(ask!)
    const end = answer.lastIndexOf('count:')
    const [byClient, overHttp] = [answer.slice(0, end), answer.slice(end)]
    expect(byClient).toContain('Sick days')
    expect(byClient).not.toContain('Company cars')
    expect(parse(overHttp)).toMatchObject({ count: 2, results: [{ id: 'sick', title: 'Sick days' }, { id: 'cars' }] })
  })

  it('DS-20 the Activity list shows both questions, by the client and over HTTP', async () => {
    // Results are recorded after their answers, so two lists that are read one after the other could differ.
    await until(async () => !/"status":\s*null/.test(await shell(activity!)))
    const [byClient, overHttp] = (await shell(activity!)).split(/(?<=^\})\n/m)
    const sources = (JSON.parse(byClient!) as { items: { source: string }[] }).items.map(({ source }) => source)
    expect(sources).toEqual(['api', 'cli'])
    expect(JSON.parse(overHttp!)).toEqual(JSON.parse(byClient!))
  })

  it.each([
    ['TypeScript', (script: string) => script],
    ['Python', (script: string) => script.replace(/node fill\.mts # or: /, '')],
  ])('DS-24 the script in %s fills the same vectors', async (_, choose) => {
    const before = await vectors()
    await psql('update public.articles set embedding = null')
    await psql(`insert into public.articles values ('o''neil', 'It''s "quoted"', 'a \\ b', 'x', null)`)
    await shell(choose(fillOneself!))
    await psql(`delete from public.articles where id = 'o''neil' and embedding is not null`)
    expect(await vectors()).toBe(before)
  })
})
