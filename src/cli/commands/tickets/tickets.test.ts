import { stripVTControlCharacters } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApp } from '#contract/apps/apps.ts'
import { TicketStatus } from '#contract/tickets.ts'
import { runSvc } from '#test/programs/cli-run.ts'
import { type System, startSystem } from '#test/system.ts'
import { STATUS_CHOICES } from './index.ts'

type Person = Awaited<ReturnType<System['member']>>

let system: System
let owner: Person
let viewer: Person

beforeAll(async () => {
  system = await startSystem()
  owner = await system.member('owner')
  viewer = await system.member('viewer', owner.org_id)
  await system.client(owner.token).call(createApp, { alias: 'shop' })
})
afterAll(() => system?.[Symbol.asyncDispose]())

type Options = { as?: Person; stdin?: string; columns?: number }
const svc = (args: string[], { as = owner, ...options }: Options = {}) =>
  runSvc(['tickets', ...args], { env: { SVC_API_URL: system.url, SVC_API_KEY: as.token }, ...options })
const file = async (title: string, options: Options = { as: viewer }) =>
  /^Filed (tkt_\w+) on shop\.\n$/.exec(
    (await svc(['file', 'shop', title, '--body', 'It sticks.'], options)).stdout,
  )![1]!

describe('NO-02 CL-03 svc tickets', () => {
  it('files, lists, replies, moves and shows', async () => {
    const none = await svc(['list', 'shop'], { as: viewer })
    expect(none).toMatchObject({ exit: 0, stdout: '', stderr: 'You see no tickets of shop.\n' })
    const id = await file('The door')
    expect(await svc(['reply', 'shop', id], { stdin: 'We look\nat it.\n' })).toMatchObject({
      exit: 0,
      stdout: `Replied to ${id} publicly.\n`,
    })
    expect((await svc(['reply', 'shop', id, '--internal', '--body', 'The hinge'])).stdout).toBe(
      `Replied to ${id} internally, which notifies nobody.\n`,
    )
    expect(await svc(['move', 'shop', id, 'in_progress'])).toMatchObject({ exit: 0, stdout: `${id} is in_progress.\n` })
    const listed = await svc(['list', 'shop', '--mine', '--status', 'in_progress'], { as: viewer })
    expect(listed.stdout.trimEnd().split('\n')[1]!.split(/ {2,}/)).toEqual([
      id,
      'in_progress',
      expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      viewer.email.split('@')[0],
      'The door',
    ])
    const shown = (await svc(['show', 'shop', id])).stdout
    expect(shown).toMatch(/^Ticket +tkt_\w+\nTitle +The door\nStatus +in_progress\nFiled by +viewer-\w+\n/)
    expect(shown).toMatch(
      /\n\nIt sticks\.\n\nowner-\w+, \S+Z\nWe look\nat it\.\n\nowner-\w+, \S+Z, internal\nThe hinge\n$/,
    )
    const seen = JSON.parse((await svc(['show', 'shop', id, '--json'], { as: viewer })).stdout)
    expect(seen.replies.map(({ body }: { body: string }) => body)).toEqual(['We look\nat it.'])
  })

  it('exits with 3 when the person may not, with 4 for a hidden ticket, with 5 without a text or for another state', async () => {
    const id = await file('Mine')
    const stranger = await system.member('member', owner.org_id)
    expect((await svc(['move', 'shop', id, 'done'], { as: viewer })).exit).toBe(3)
    expect((await svc(['reply', 'shop', id, '--internal', '--body', 'x'], { as: viewer })).exit).toBe(3)
    expect((await svc(['show', 'shop', id], { as: stranger })).exit).toBe(4)
    const empty = await svc(['file', 'shop', 'No text'], { as: viewer })
    expect(empty).toMatchObject({ exit: 5, stdout: '' })
    expect(empty.stderr).toContain('There is no text.')
    expect((await svc(['move', 'shop', id, 'closed'])).exit).toBe(5)
  })

  it('fits 80 columns and prints no control characters of a text', async () => {
    const id = await file('t'.repeat(200))
    await svc(['reply', 'shop', id, '--body', 'red \u001b[31malert\u202e'])
    const { stdout } = await svc(['list', 'shop'], { columns: 80 })
    const lines = stdout.trimEnd().split('\n').map(stripVTControlCharacters)
    expect(lines.length).toBeGreaterThan(1)
    expect(lines.filter((line) => line.length > 80)).toEqual([])
    expect((await svc(['show', 'shop', id])).stdout).toContain('red  [31malert\n')
  })

  it('offers the states of the contract', () => {
    expect(STATUS_CHOICES).toEqual(TicketStatus.options)
  })
})
