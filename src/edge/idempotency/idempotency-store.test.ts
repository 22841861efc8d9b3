import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { needs } from '#test/stores.ts'
import {
  type Claim,
  claimKey,
  dropKeysBefore,
  endKey,
  keepAnswer,
  markChanged,
  readAnswer,
  takeOverKey,
} from './idempotency-store.ts'

let opened: TestDatabase
beforeAll(async () => {
  opened = await openTestDatabase()
})
afterAll(() => opened?.[Symbol.asyncDispose]())

const now = new Date('2026-02-03T04:05:06.789Z')
const digest = Buffer.from([0, 1, 255])
const of = (key: string, caller = 'usr_1', operation = 'auth.create-org') => ({ caller, operation, key })

async function claimed(key: string): Promise<Claim> {
  return (await claimKey(opened.db, of(key), digest, now))!
}

describe('an idempotency key', () => {
  it('is claimed by its first request only, per caller and operation', async () => {
    const { db } = opened
    expect(await claimKey(db, of('once'), digest, now)).toMatchObject(of('once'))
    expect(await claimKey(db, of('once'), digest, now)).toBeUndefined()
    expect(await claimKey(db, of('once'), Buffer.from([9]), now)).toBeUndefined()
    expect(await claimKey(db, of('once', 'usr_2'), digest, now)).toBeDefined()
    expect(await claimKey(db, of('once', 'usr_1', 'auth.other'), digest, now)).toBeDefined()
    expect(await claimKey(db, of('Once'), digest, now)).toBeDefined()
  })

  it('has no answer while the first request runs, and keeps it afterwards', async () => {
    const { db } = opened
    expect(await readAnswer(db, of('kept'))).toBeUndefined()
    const claim = await claimed('kept')
    const stored = { requestDigest: digest, createdAt: now, isOver: false }
    expect(await readAnswer(db, of('kept'))).toEqual({ ...stored, answer: undefined })
    await keepAnswer(db, claim, { status: 201, body: 'v1.sealed' })
    const answer = { status: 201, body: 'v1.sealed' }
    expect(await readAnswer(db, of('kept'))).toEqual({ ...stored, answer })
    expect(await readAnswer(db, of('kept', 'usr_2'))).toBeUndefined()
  })

  it('distinguishes an empty body from none', async () => {
    await keepAnswer(opened.db, await claimed('empty'), { status: 204, body: '' })
    expect(await readAnswer(opened.db, of('empty'))).toMatchObject({ answer: { status: 204, body: '' } })
  })

  it('is free again after a refusal, but not once it has an answer', async () => {
    const { db } = opened
    const first = await claimed('freed')
    await endKey(db, { ...first, caller: 'usr_2' }, 'nothing')
    expect(await claimKey(db, of('freed'), digest, now)).toBeUndefined()
    await endKey(db, first, 'nothing')
    const second = await claimed('freed')
    await keepAnswer(db, second, { status: 200, body: 'b' })
    await endKey(db, second, 'nothing')
    expect(await claimKey(db, of('freed'), digest, now)).toBeUndefined()
  })

  it('is free again after a failure unless its request changed something', async () => {
    const { db } = opened
    const [unmarked, committed] = [await claimed('unmarked'), await claimed('committed')]
    const [refused, elsewhere] = [await claimed('refused'), await claimed('elsewhere')]
    await markChanged(db, committed)
    await markChanged(db, refused)
    await endKey(db, unmarked, 'marked')
    await endKey(db, committed, 'marked')
    await endKey(db, refused, 'nothing')
    await endKey(db, elsewhere, 'anything')
    expect(await readAnswer(db, unmarked)).toBeUndefined()
    expect(await readAnswer(db, refused)).toBeUndefined()
    expect(await readAnswer(db, committed)).toMatchObject({ isOver: true, answer: undefined })
    expect(await readAnswer(db, elsewhere)).toMatchObject({ isOver: true, answer: undefined })
  })

  it('obeys only the claim that holds it', async () => {
    const { db } = opened
    const held = await claimed('fenced')
    const former = { ...held, holder: 'svc 00/1' }
    expect(await markChanged(db, former)).toBe(false)
    await endKey(db, former, 'nothing')
    await keepAnswer(db, former, { status: 200, body: 'stale' })
    expect(await takeOverKey(db, of('fenced'), now)).toBeUndefined()
    expect(await markChanged(db, held)).toBe(true)
    expect(await readAnswer(db, held)).toMatchObject({ answer: undefined })
  })

  it('is deleted after its lifetime, answered or not', async () => {
    const { db } = opened
    const later = new Date(now.getTime() + 1)
    await claimKey(db, of('old'), digest, now)
    await keepAnswer(db, (await claimKey(db, of('young'), digest, later))!, { status: 200, body: 'b' })
    await dropKeysBefore(db, later)
    expect(await readAnswer(db, of('old'))).toBeUndefined()
    expect(await readAnswer(db, of('young'))).toMatchObject({ answer: { status: 200 } })
  })
})

needs('postgres')('an idempotency key among many at once', () => {
  it('is claimed by exactly one of many concurrent requests', async () => {
    const claims = await Promise.all(Array.from({ length: 20 }, () => claimKey(opened.db, of('raced'), digest, now)))
    expect(claims.filter(Boolean)).toHaveLength(1)
  })
})
