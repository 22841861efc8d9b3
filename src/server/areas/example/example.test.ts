import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createEmbeddings } from '#contract/ai.ts'
import { querySource } from '#contract/data-sources/sources.ts'
import { sql } from '#lib/db/sql.ts'
import { type System, startSystem } from '#test/system.ts'
import { assets } from '../../files/assets.ts'
import { embeddedText, readArticles, readHandbook, writeVectors } from './handbook.ts'
import { createExample } from './index.ts'
import { QUESTIONS } from './questions.ts'

const HANDBOOK = readArticles(assets.exampleHandbook())

describe('OP-01 the example', () => {
  let system: System
  let token: string
  let make: () => Promise<void>
  beforeAll(async () => {
    system = await startSystem()
    const owner = await system.member('owner')
    token = owner.token
    const account = { org_id: owner.org_id, api_key: token, operator_token: system.config.secrets.operatorToken! }
    make = () => createExample({ clientOf: (of) => system.client(of), account }).make(assets.exampleHandbook())
    await make()
  })
  afterAll(() => system?.[Symbol.asyncDispose]())

  it('DS-10 ten natural questions find their article first at least nine times', async () => {
    const client = system.client(token)
    const missed: string[] = []
    for (const { question, slug } of QUESTIONS) {
      const { results } = await client.call(querySource, { id: 'db_handbook', query: question, top_k: 3 })
      if (results[0]?.id !== slug) missed.push(question)
    }
    expect(QUESTIONS).toHaveLength(10)
    expect(missed.length).toBeLessThanOrEqual(1)
  })

  it('the questions share no word of weight with the titles they find', () => {
    const stop = new Set(
      `a an and are be can do does for from get have how i if in is it me my of on or our should the
      there to up we what when where who will with you your after`.split(/\s+/),
    )
    const words = (text: string) =>
      new Set((text.toLowerCase().match(/[a-z]+/g) ?? []).filter((word) => !stop.has(word)))
    for (const { question, slug } of QUESTIONS) {
      const { title } = HANDBOOK.find((article) => article.slug === slug)!
      expect([...words(question)].filter((word) => words(title).has(word))).toEqual([])
    }
  })

  it('filters narrow it, and making it twice changes nothing', async () => {
    const client = system.client(token)
    await make()
    const drafts = await client.call(querySource, {
      id: 'db_handbook',
      query: 'work',
      filters: { published: false },
      top_k: 20,
    })
    expect(drafts.count).toBe(HANDBOOK.filter(({ published }) => !published).length)
  })

  it('a start that was killed while it made the database continues at the next one', async () => {
    await system.db.query(sql`update databases.databases set state = 'creating' where name = 'handbook'`)
    const completion = make()
    await system.db.query(sql`select pg_notify('svc_databases_unfinished', '')`)
    await completion
    const { count } = await system.client(token).call(querySource, { id: 'db_handbook', query: 'work' })
    expect(count).toBeGreaterThan(0)
  })

  it('the vectors in the file are those that the model makes of the articles', async () => {
    const stored = readHandbook(assets.exampleHandbook())
    expect(stored).toHaveLength(HANDBOOK.length)
    const some = [0, 40, 80, HANDBOOK.length - 1]
    const input = some.map((at) => embeddedText(HANDBOOK[at]!))
    const { data } = await system.client(token).call(createEmbeddings, { model: 'builtin/all-minilm-l6-v2', input })
    for (const [i, at] of some.entries()) {
      const vector = data[i]!.embedding as number[]
      const cosine = vector.reduce((sum, value, d) => sum + value * stored[at]!.embedding[d]!, 0)
      // Not equal: processors round the quantised model differently. Other texts are below 0.8.
      expect(cosine).toBeGreaterThan(0.99)
    }
  })

  it('vectors of other texts are refused', () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-vectors-'))
    cpSync(assets.exampleHandbook(), folder, { recursive: true })
    writeVectors(
      folder,
      readHandbook(folder).map(({ embedding }) => Float32Array.from(embedding)),
    )
    const file = join(folder, 'vectors.bin')
    const bytes = readFileSync(file)
    expect(bytes.equals(readFileSync(join(assets.exampleHandbook(), 'vectors.bin')))).toBe(true)
    bytes[0]! ^= 1
    writeFileSync(file, bytes)
    expect(() => readHandbook(folder)).toThrow('holds vectors of other texts: run npm run example:embed')
    rmSync(folder, { recursive: true })
  })
})
