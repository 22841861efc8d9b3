import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createDatabase, readConnection } from '#contract/databases.ts'
import { runSvc } from '#test/programs/cli-run.ts'
import { runIn } from '#test/sources/configured-source.ts'
import { type System, startSystem } from '#test/system.ts'

let system: System
let folder: string
beforeAll(async () => {
  system = await startSystem()
  folder = mkdtempSync(join(tmpdir(), 'svc-hint-'))
})
afterAll(async () => {
  await system?.[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

it('DS-03 DS-05 the hint of svc datasource enable shows the file that its command reads', async () => {
  const { token } = await system.member('admin')
  const client = system.client(token)
  await client.call(createDatabase, { name: 'docs' })
  const { connection_string } = await client.call(readConnection, { name: 'docs' })
  await runIn(
    connection_string,
    'create table articles (id int primary key, title text, body text, embedding vector(384))',
  )
  const env = { SVC_API_URL: system.url, SVC_API_KEY: token }
  const { stderr } = await runSvc(['datasource', 'enable', 'docs'], { env })
  const [, file, command] = /:\n(\{.+\n\})\nThen run: svc (.+)\n$/s.exec(stderr)!
  const place = join(folder, 'search.json')
  writeFileSync(place, file!)
  const words = command!.replace('@search.json', `@${place}`).split(' ')
  expect(words.slice(0, 3)).toEqual(['api', 'PUT', '/api/wf/data-sources/db_docs'])
  expect(await runSvc(words, { env })).toMatchObject({ exit: 0 })
})
