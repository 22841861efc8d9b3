import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { approveProposal, listAllProposals, readProposal } from '#contract/maintenance/proposals.ts'
import { sql } from '#lib/db/sql.ts'
import { type LiveApp, makeLiveApp } from '#test/apps/live-app.ts'
import { proposeEdits } from '#test/apps/propose.ts'
import { proposeChange } from '#test/apps/proposed-change.ts'
import { codeOf } from '#test/databases/managed-databases.ts'
import { type System, startSystem } from '#test/system.ts'

/** The agent can read files of up to 1 MiB, and a diff compares up to 256 KiB. */
const LARGE = '// a line of a large file\n'.repeat(10_700)

const FILES = {
  'server.js': "respond('broken')\n",
  'large.js': `${LARGE}ok()\n`,
  'logo.png': '\u0000a',
  'windows.js': "// a file with ‘\u200b’\r\nrespond('broken')\r\nend()",
}

let system: System
let admin: Awaited<ReturnType<System['member']>>
let app: LiveApp
beforeAll(async () => {
  system = await startSystem({ env: { SVC_ALLOW_PROCESS_DEPLOYS: 'true' } })
})
afterAll(() => system?.[Symbol.asyncDispose]())
beforeEach(async () => {
  admin = await system.member('admin')
  const files = { ...FILES }
  app = await makeLiveApp(system, admin, { alias: 'shop', files })
})

const api = () => system.client(admin.token)
const read = (proposal_id: string) => api().call(readProposal, { alias: 'shop', proposal_id, diff: true })
const approve = async (proposal_id: string) => {
  const { revision_id } = await read(proposal_id)
  return codeOf(api().call(approveProposal, { alias: 'shop', proposal_id, revision_id: revision_id! }))
}
const queued = () => system.db.query(sql`select from apps.deploys where app_id = ${app.id} and state = 'queued'`)

it.each([
  ['of a file that is too large to compare', { 'large.js': `${LARGE}evil()\n` }, 'large.js: the file is larger than'],
  ['of a binary file', { 'logo.png': '\u0000b' }, 'logo.png: the file is binary'],
  ['with a lone carriage return', { 'server.js': "// ok\rrespond('evil')\n" }, 'server.js has text that a reader'],
  ['with a blank letter', { 'server.js': "const \u3164 = respond('evil')\n" }, '‹U+3164›'],
])('MA-18 a stored proposal %s is not valid, and nobody can approve it', async (_, changed, reason) => {
  const files = { ...FILES, ...changed }
  const { proposalId } = await proposeChange(system, { app, person: admin, files, summary: 'Fixes the answer' })
  expect(await read(proposalId)).toMatchObject({
    status: 'invalid',
    invalid_reason: expect.stringContaining(reason),
    decision: { can_approve: false, can_deny: false, can_retry: true },
  })
  expect(await approve(proposalId)).toBe('PROPOSAL_NOT_READY')
  expect(await queued()).toEqual([])
  const idsOf = async (status: 'invalid' | 'ready') =>
    (await api().call(listAllProposals, { status })).items.map(({ id }) => id)
  expect([await idsOf('invalid'), await idsOf('ready')]).toEqual([[proposalId], []])
})

it.each([
  ['a file that is too large to compare', 'large.js', 'ok()', 'evil()', 'larger than 256 KiB'],
  ['a line separator', 'server.js', 'respond', '// \u2028respond', '‹U+2028›'],
  ['a line end cut to a lone carriage return', 'server.js', "')\n", "')\r", '‹U+000D›'],
  ['a Windows line end in a file without any', 'server.js', "')\n", "')\r\n", '‹U+000D›'],
  ['a lone carriage return in a Windows file', 'windows.js', 'end()', 'a()\rend()', '‹U+000D›'],
  ['a carriage return that ends a Windows file', 'windows.js', 'end()', 'end()\r', '‹U+000D›'],
  ['a line of a person that has hidden text', 'windows.js', 'a file', 'the file', '‹U+200B›'],
  [
    'a copy of a line of a person that has hidden text',
    'windows.js',
    'end()',
    '// a file with ‘\u200b’\r\n',
    '‹U+200B›',
  ],
  [
    'a line of 501 characters',
    'server.js',
    'broken',
    'x'.repeat(501 - "respond('')".length),
    'a line of 501 characters',
  ],
  ['a Greek question mark', 'server.js', "')\n", "')\u037e\n", 'looks like other text: ‹U+037E›'],
  ['a Hebrew letter', 'server.js', 'broken', 'א', 'from right to left: ‹U+05D0›'],
])('MA-18 edits with %s make no revision that could be deployed', async (_, path, old_text, new_text, reason) => {
  const edits = [{ path, old_text, new_text }]
  const id = await proposeEdits(system, { org_id: admin.org_id, alias: 'shop', requestedBy: null, edits })
  expect(await read(id)).toMatchObject({
    status: 'invalid',
    revision_id: null,
    invalid_reason: expect.stringContaining(reason),
  })
})

it.each([
  ['a file', 'server.js', 'broken', 'fixed'],
  ['a Windows file', 'windows.js', "respond('broken')\r\n", "respond('fixed')\r\n\tlog()\r\n"],
  ['a file without a last line end', 'windows.js', 'end()', 'stop()'],
  ['a line of 500 characters', 'server.js', 'broken', 'x'.repeat(500 - "respond('')".length)],
])('MA-18 a proposal whose diff shows everything can be approved: %s', async (_, path, old_text, new_text) => {
  const edits = [{ path, old_text, new_text }]
  const id = await proposeEdits(system, { org_id: admin.org_id, alias: 'shop', requestedBy: null, edits })
  expect(await approve(id)).toBe('no error')
  expect(await queued()).toHaveLength(1)
})
