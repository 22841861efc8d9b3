import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { needs } from '#test/stores.ts'
import { claimKey, dropKeysBefore, freeKey, keepAnswer, readAnswer } from './idempotency-store.ts'

let opened: TestDatabase
beforeAll(async () => {
  opened = await openTestDatabase()
})
afterAll(() => opened?.[Symbol.asyncDispose]())

const now = new Date('2026-02-03T04:05:06.789Z')
const digest = Buffer.from([0, 1, 255])
const of = (key: string, caller = 'usr_1', operation = 'auth.create-org') => ({ caller, operation, key })

describe('an idempotency key', () => {
  it('is claimed by its first request only, per caller and operation', async () => {
    const { db } = opened
    expect(await claimKey(db, of('once'), digest, now)).toBe(true)
    expect(await claimKey(db, of('once'), digest, now)).toBe(false)
    expect(await claimKey(db, of('once'), Buffer.from([9]), now)).toBe(false)
    expect(await claimKey(db, of('once', 'usr_2'), digest, now)).toBe(true)
    expect(await claimKey(db, of('once', 'usr_1', 'auth.other'), digest, now)).toBe(true)
    expect(await claimKey(db, of('Once'), digest, now)).toBe(true)
  })

  it('has no answer while the first request runs, and keeps it afterwards', async () => {
    const { db } = opened
    expect(await readAnswer(db, of('kept'))).toBeUndefined()
    await claimKey(db, of('kept'), digest, now)
    expect(await readAnswer(db, of('kept'))).toEqual({ requestDigest: digest, createdAt: now, answer: undefined })
    await keepAnswer(db, of('kept'), { status: 201, body: 'v1.sealed' })
    const answer = { status: 201, body: 'v1.sealed' }
    expect(await readAnswer(db, of('kept'))).toEqual({ requestDigest: digest, createdAt: now, answer })
    expect(await readAnswer(db, of('kept', 'usr_2'))).toBeUndefined()
  })

  it('distinguishes an empty body from none', async () => {
    await claimKey(opened.db, of('empty'), digest, now)
    await keepAnswer(opened.db, of('empty'), { status: 204, body: '' })
    expect(await readAnswer(opened.db, of('empty'))).toMatchObject({ answer: { status: 204, body: '' } })
  })

  it('is free again after a refusal, but not once it has an answer', async () => {
    const { db } = opened
    await claimKey(db, of('freed'), digest, now)
    await freeKey(db, of('freed', 'usr_2'))
    expect(await claimKey(db, of('freed'), digest, now)).toBe(false)
    await freeKey(db, of('freed'))
    expect(await claimKey(db, of('freed'), digest, now)).toBe(true)
    await keepAnswer(db, of('freed'), { status: 200, body: 'b' })
    await freeKey(db, of('freed'))
    expect(await claimKey(db, of('freed'), digest, now)).toBe(false)
  })

  it('is deleted after its lifetime, answered or not', async () => {
    const { db } = opened
    const later = new Date(now.getTime() + 1)
    await claimKey(db, of('old'), digest, now)
    await claimKey(db, of('young'), digest, later)
    await keepAnswer(db, of('young'), { status: 200, body: 'b' })
    await dropKeysBefore(db, later)
    expect(await readAnswer(db, of('old'))).toBeUndefined()
    expect(await readAnswer(db, of('young'))).toMatchObject({ answer: { status: 200 } })
  })
})

needs('postgres')('an idempotency key among many at once', () => {
  it('is claimed by exactly one of many concurrent requests', async () => {
    const claims = await Promise.all(Array.from({ length: 20 }, () => claimKey(opened.db, of('raced'), digest, now)))
    expect(claims.filter(Boolean)).toEqual([true])
  })
})
