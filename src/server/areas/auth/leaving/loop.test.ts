import { afterAll, beforeAll, expect, it } from 'vitest'
import { sql } from '#lib/db/sql.ts'
import { createLog } from '#lib/log/log.ts'
import type { Eraser } from '#ports/eraser.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { insertOrg } from '../store/orgs.ts'
import { deletionLoop } from './loop.ts'
import { findDeletion, insertDeletion } from './store.ts'

const REQUESTED = new Date('2031-05-01T07:00:00Z')
const DUE = new Date('2031-05-08T07:00:00Z')
const HOUR_MS = 60 * 60_000
const after = (hours: number) => new Date(DUE.getTime() + hours * HOUR_MS)
const never = new AbortController().signal

let opened: TestDatabase
beforeAll(async () => {
  opened = await openTestDatabase()
})
afterAll(() => opened?.[Symbol.asyncDispose]())

async function newDeletion(name: string): Promise<string> {
  const id = `org_${name.padEnd(26, '0')}`
  await opened.db.tx(async (tx) => {
    await insertOrg(tx, { id, name, slug: name, created_at: REQUESTED })
    const request = { id, kind: 'organization', requested_by: 'usr_1', requested_at: REQUESTED, due_at: DUE } as const
    await insertDeletion(tx, request)
  })
  return id
}

function loopWith(...erasers: Eraser[]) {
  const log = createLog('silent')
  const mails = { queue: async () => true }
  return deletionLoop({ db: opened.db, log, erasers, mails, baseUrl: () => 'https://svc.example.com' })
}
const endOf = async (id: string) => (await findDeletion(opened.db, id))?.ended_at
const isThere = async (id: string) => (await opened.db.query(sql`select from auth.orgs where id = ${id}`)).length === 1

it('OP-08 an area that fails is asked again in a minute, and other deletions go on', async () => {
  const broken = await newDeletion('broken')
  const whole = await newDeletion('whole')
  let isBroken = true
  const eraser: Eraser = {
    eraseOrganization: async (id) => {
      if (id === broken && isBroken) throw new Error('the store is away')
      return undefined
    },
  }
  const loop = loopWith(eraser)
  await loop.tick(DUE, never)
  expect(await loop.tick(after(1), never)).toEqual(new Date(after(1).getTime() + 60_000))
  expect(await endOf(whole)).toEqual(after(1))
  expect([await endOf(broken), await isThere(broken)]).toEqual([null, true])
  isBroken = false
  await loop.tick(after(2), never)
  expect([await endOf(broken), await isThere(broken)]).toEqual([after(2), false])
})

it('OP-08 an organization goes only after every area says that nothing is left, and an hour after the access ended', async () => {
  const id = await newDeletion('waits')
  const asked: string[] = []
  let left: string | undefined = 'an app that is still being stopped'
  const first: Eraser = {
    closeOrganization: async () => void asked.push('close'),
    eraseOrganization: async () => {
      asked.push('erase')
      return left
    },
  }
  const second: Eraser = {
    eraseOrganization: async () => {
      asked.push('erase the rest')
      return undefined
    },
  }
  const loop = loopWith(first, second)
  await loop.tick(new Date(DUE.getTime() - 1), never)
  expect(asked).toEqual([])
  await loop.tick(DUE, never)
  await loop.tick(after(0.9), never)
  expect(asked).toEqual(['close', 'close'])
  await loop.tick(after(1), never)
  expect(asked).toEqual(['close', 'close', 'close', 'erase'])
  expect(await endOf(id)).toBeNull()
  left = undefined
  await loop.tick(after(2), never)
  expect(asked.slice(4)).toEqual(['close', 'erase', 'erase the rest'])
  expect(await endOf(id)).toEqual(after(2))
  await loop.tick(after(3), never)
  expect(asked).toHaveLength(7)
})
