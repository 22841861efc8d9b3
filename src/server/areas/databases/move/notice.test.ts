import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { createSealer } from '#lib/crypto/seal.ts'
import { sql } from '#lib/db/sql.ts'
import { knownPeople, type Person, unknownPeople } from '#ports/people.ts'
import type { SystemMail } from '#ports/system-mail.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { newDatabase } from '../model/new-database.ts'
import { insertDatabase, moveDatabase } from '../model/store.ts'
import { moveNoticeLoop } from './notice-loop.ts'
import { putNotice } from './notice-store.ts'

const SWITCHED = new Date('2031-05-06T07:08:09.123Z')
const LATER = new Date(SWITCHED.getTime() + 60_000)
const never = new AbortController().signal
const person = (user_id: string): Person => ({
  user_id,
  email: `${user_id}@example.org`,
  display_name: user_id,
  role: 'developer',
})

let opened: TestDatabase
let databaseId: string
let members: Person[] | 'unknown'
let admins: Person[] | 'unknown'
let queued: SystemMail[]
let faults: string[]

beforeAll(async () => {
  opened = await openTestDatabase()
  const of = { org_id: 'org_1', name: 'notes', created_by: 'usr_mara', created_at: SWITCHED }
  const row = await newDatabase(of, createSealer(['ab'.repeat(32)]))
  databaseId = row.id
  await opened.db.tx((tx) => insertDatabase(tx, row))
  await moveDatabase(opened.db, row.id, ['creating'], 'ready')
})
afterAll(() => opened?.[Symbol.asyncDispose]())
beforeEach(async () => {
  members = [person('usr_mara')]
  admins = [person('usr_ada'), person('usr_olu')]
  queued = []
  faults = []
  await opened.db.tx((tx) => putNotice(tx, databaseId, SWITCHED))
})

const tick = async (now = LATER) => {
  const loop = moveNoticeLoop({
    db: opened.db,
    baseUrl: () => 'https://svc.example.com',
    people: {
      member: async (_, id) =>
        members === 'unknown'
          ? unknownPeople({ isTemporary: true })
          : knownPeople(members.find(({ user_id }) => user_id === id)),
      ownersAndAdmins: async () => (admins === 'unknown' ? unknownPeople({ isTemporary: true }) : knownPeople(admins)),
      organization: async () => knownPeople({ name: 'Acme', slug: 'acme' }),
    },
    onError: (error) => faults.push((error as Error).message),
    mails: {
      queue: async (_, mail) => {
        if (mail.paragraphs.join('').includes('The database broken')) throw new Error('no mail')
        queued.push(mail)
        return true
      },
    },
  })
  await loop.tick(now, never)
  return queued.map(({ to }) => to)
}
const notices = () => opened.db.query(sql`select database_id from databases.move_notices`)

it('DS-01 the creator of a moved database is told once that its address changed, without a connection string', async () => {
  expect(await tick()).toEqual(['usr_mara@example.org'])
  expect(queued[0]).toMatchObject({
    org_id: 'org_1',
    subject: 'The database notes has a new address',
    paragraphs: [
      'The database notes of Acme was moved to another Postgres server at 2031-05-06 07:08 UTC. Its host and port changed; user, password and database name stay.',
      'Programs that connect with the old connection string are refused. Run svc db connect notes to get the new one, and set it wherever the old one is used. Questions to its data source need no change.',
    ],
    action: { label: 'See databases', link: 'https://svc.example.com/databases' },
  })
  expect(await tick()).toHaveLength(1)
})

it('DS-01 owners and admins are told if the creator has left the organization', async () => {
  members = []
  expect(await tick()).toEqual(['usr_ada@example.org', 'usr_olu@example.org'])
  expect(await notices()).toEqual([])
})

it.each(['members', 'admins'])('DS-01 a notice waits while nobody can say who the %s are', async (which) => {
  members = which === 'members' ? 'unknown' : []
  admins = which === 'admins' ? 'unknown' : admins
  expect(await tick()).toEqual([])
  members = [person('usr_mara')]
  expect(await tick()).toEqual(['usr_mara@example.org'])
})

it('DS-01 a second move is told of under another key, and a notice of a week ago not any more', async () => {
  await tick()
  await opened.db.tx((tx) => putNotice(tx, databaseId, LATER))
  await tick()
  expect(new Set(queued.map(({ key }) => key)).size).toBe(2)
  await opened.db.tx((tx) => putNotice(tx, databaseId, SWITCHED))
  await tick(new Date(SWITCHED.getTime() + 8 * 24 * 60 * 60_000))
  expect(queued).toHaveLength(2)
  expect(await notices()).toEqual([])
})

it('DS-01 a notice is sent though that of another database cannot be', async () => {
  const of = { org_id: 'org_1', name: 'broken', created_by: 'usr_mara', created_at: SWITCHED }
  const broken = { ...(await newDatabase(of, createSealer(['ab'.repeat(32)]))), id: 'mdb_0' }
  await opened.db.tx((tx) => insertDatabase(tx, broken))
  await moveDatabase(opened.db, broken.id, ['creating'], 'ready')
  await opened.db.tx((tx) => putNotice(tx, broken.id, SWITCHED))
  expect(await tick()).toEqual(['usr_mara@example.org'])
  expect(faults).toEqual([expect.stringMatching(/^mailing about move \w+ failed and is tried again$/)])
  expect(await notices()).toEqual([{ database_id: broken.id }])
})
