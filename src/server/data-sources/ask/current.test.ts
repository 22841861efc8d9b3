import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Client } from '#contract/client.ts'
import { exposeSource, querySource } from '#contract/data-sources.ts'
import { configureSource } from '#contract/search-config.ts'
import { script, sql } from '#lib/db/sql.ts'
import { needs } from '../../../../test/help/stores.ts'
import { type System, startSystem } from '../../../../test/help/system.ts'
import { codeOf, entry, makeSource } from '../configure/test-source.ts'
import { createAllowance } from './allowance.ts'

const TABLE = `
  create table articles as
  select n as id, 'article ' || n as title, 'secret ' || n as secret,
         (select array_agg(sin(n * i * 0.37 + i)) from generate_series(1, 384) i)::vector(384) as embedding
  from generate_series(1, 5) n`

let system: System
let admin: Client
let viewer: Client
const ask = () => viewer.call(querySource, { id: 'db_library', query: 'anything' })
const expose = (over: object) =>
  admin.call(exposeSource, { id: 'db_library', min_role: 'viewer', exposed: true, ...over })
const configure = (content_columns: string) =>
  admin.call(configureSource, {
    id: 'db_library',
    connection_config: { embedding_configs: [entry({ content_columns })] },
    filter_schema: {},
  })
/** As another process would, without a word to this one. */
const change = (set: string) => system.db.query(script(`update data_sources.sources set ${set}`))

beforeAll(async () => {
  system = await startSystem()
  const { token, org_id } = await system.member('admin')
  admin = system.client(token)
  viewer = system.client((await system.member('viewer', org_id)).token)
  await makeSource(admin, 'library', TABLE)
  await configure('id, title, secret')
})
afterAll(() => system?.[Symbol.asyncDispose]())

describe('a source that was asked a moment ago', () => {
  beforeEach(async () => {
    await change(`enabled = true`)
    await expose({})
    expect((await ask()).results[0]!.metadata).toHaveProperty('secret')
  })

  it.each([
    ['is hidden', 'exposed = false', 'NOT_FOUND'],
    ['is switched off', 'enabled = false', 'NOT_FOUND'],
    ['is for others now', `min_role = 'admin'`, 'FORBIDDEN'],
  ])(
    'DS-17 %s: the very next question is refused, and the one after it is answered when that is undone',
    async (_, set, code) => {
      await change(set)
      expect(await codeOf(ask())).toBe(code)
      expect(await codeOf(ask())).toBe(code)
      await change(`exposed = true, enabled = true, min_role = 'viewer'`)
      expect((await ask()).count).toBe(5)
    },
  )

  it('DS-08 offers a column less: the very next answer is without it', async () => {
    await configure('id, title')
    expect((await ask()).results[0]!.metadata).not.toHaveProperty('secret')
    await configure('id, title, secret')
    expect((await ask()).results[0]!.metadata).toHaveProperty('secret')
  })

  it('DS-19 leaves one record for each question, also where it changed in between', async () => {
    const records = async () => (await system.db.query(sql`select id from activity.records`)).length
    const before = await records()
    await change('exposed = false')
    await ask().catch(() => undefined)
    await change('exposed = true')
    await ask()
    expect(await records()).toBe(before + 2)
  })
})

needs('postgres')('a source that is hidden while it is asked', () => {
  it('DS-17 answers none of the questions that come after that', async () => {
    await expose({})
    await ask()
    for (let round = 0; round < 3; round++) {
      const early = Array.from({ length: 4 }, () => codeOf(ask()))
      await expose({ exposed: false })
      const late = await Promise.all(Array.from({ length: 4 }, () => codeOf(ask())))
      expect(new Set(late)).toEqual(new Set(['NOT_FOUND']))
      expect(['no error', 'NOT_FOUND']).toEqual(expect.arrayContaining(await Promise.all(early)))
      await expose({})
      expect(await codeOf(ask())).toBe('no error')
    }
  })
})

describe('DS-18 an organization that has asked enough', () => {
  it('is not searched for again before its question is spent, until one may be', async () => {
    let left = 1
    const allowance = createAllowance(async () => {
      if (left-- <= 0) throw new Error('enough')
    })
    await allowance.spend('org_1')
    expect(allowance.wasRefused('org_1')).toBe(false)
    await expect(allowance.spend('org_1')).rejects.toThrow('enough')
    expect([allowance.wasRefused('org_1'), allowance.wasRefused('org_2')]).toEqual([true, false])
    left = 1
    await allowance.spend('org_1')
    expect(allowance.wasRefused('org_1')).toBe(false)
  })
})
