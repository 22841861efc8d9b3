import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listActivity } from '#contract/activity.ts'
import { elevateSupport, startSupport } from '#contract/auth/support.ts'
import { systemClock } from '#lib/time/clock.ts'
import { findSecrets } from '#test/canary.ts'
import { begin } from '#test/sources/activity-records.ts'
import { type System, startSystem } from '#test/system.ts'
import { createRecorder, type Question, type Recorder } from './record.ts'

const QUESTION = 'canary-listed-question'
const DATA = { type: 'data_sources' } as const

describe('DS-20 the list of Activity', () => {
  let system: System
  let activity: Recorder
  beforeAll(async () => {
    system = await startSystem()
    const dataKey = system.config.secrets.dataKeys[0]
    activity = createRecorder({ db: system.db, clock: systemClock, dataKey, onError: console.error })
  })
  afterAll(async () => {
    await activity?.[Symbol.asyncDispose]()
    await system?.[Symbol.asyncDispose]()
  })

  type Who = { org_id: string; user_id: string }
  const ask = ({ org_id, user_id }: Who, over: Partial<Question> = {}) =>
    begin(activity, system.db, {
      org_id,
      target: 'db_handbook',
      source: 'api',
      principal: { kind: 'api_token', id: 'tok_1', user_id },
      question: QUESTION,
      filters: {},
      ...over,
    })
  const idsSeen = async (token: string, input: object = {}) =>
    (await system.client(token).call(listActivity, { ...DATA, ...input })).items.map(({ id }) => id)

  it('shows source, who, when, duration, size, and how it came; functions are the default', async () => {
    const owner = await system.member('owner')
    const done = await ask(owner, { source: 'mcp' })
    activity.complete(done.id, { status: 200, duration_ms: 12, answer_bytes: 345, counted: true })
    await activity.flush()
    const client = system.client(owner.token)
    expect((await client.call(listActivity, {})).items).toEqual([])
    expect(await client.call(listActivity, DATA)).toEqual({
      items: [
        {
          id: done.id,
          target: 'db_handbook',
          source: 'mcp',
          principal: { kind: 'api_token', id: 'tok_1' },
          user_id: owner.user_id,
          user_name: expect.any(String),
          asked_at: expect.any(String),
          duration_ms: 12,
          answer_bytes: 345,
          status: 200,
        },
      ],
      next_cursor: null,
    })
    expect(await findSecrets(system.db, system.logs, [QUESTION])).toEqual([])
  })

  it('admins and owners see all of their organization, others their own, nobody another’s', async () => {
    const owner = await system.member('owner')
    const [admin, developer, viewer, other] = await Promise.all([
      system.member('admin', owner.org_id),
      system.member('developer', owner.org_id),
      system.member('viewer', owner.org_id),
      system.member('owner'),
    ])
    const first = await ask(developer)
    const second = await ask(viewer)
    const all = [second.id, first.id]
    expect(await idsSeen(owner.token)).toEqual(all)
    expect(await idsSeen(admin.token)).toEqual(all)
    expect(await idsSeen(developer.token)).toEqual([first.id])
    expect(await idsSeen(viewer.token)).toEqual([second.id])
    expect(await idsSeen(other.token)).toEqual([])
  })

  it('a support session sees as its role does', async () => {
    const owner = await system.member('owner')
    const { id } = await ask(owner)
    const input = { org_id: owner.org_id, staff_email: 's@example.com', reason: 'look' }
    const support = await system.operator.call(startSupport, input)
    system.secrets.push(support.token)
    expect(await idsSeen(support.token)).toEqual([])
    await system.operator.call(elevateSupport, { id: support.id })
    expect(await idsSeen(support.token)).toEqual([id])
  })

  it('pages newest first; a source can be picked out; how an unfinished one ended is null', async () => {
    const owner = await system.member('owner')
    const one = await ask(owner)
    const two = await ask(owner, { target: 'db_notes' })
    const three = await ask(owner)
    const client = system.client(owner.token)
    const page = await client.call(listActivity, { ...DATA, limit: 2 })
    expect(page.items.map(({ id }) => id)).toEqual([three.id, two.id])
    expect(page.items[0]).toMatchObject({ status: null, duration_ms: null, answer_bytes: null })
    expect(await idsSeen(owner.token, { limit: 2, cursor: page.next_cursor })).toEqual([one.id])
    expect(await idsSeen(owner.token, { source_id: 'db_notes' })).toEqual([two.id])
  })

  it('a type that is none is refused', async () => {
    const { token } = await system.member('viewer')
    const response = await fetch(`${system.url}/api/activity?type=all`, {
      headers: { authorization: `Bearer ${token}` },
    })
    expect(response.status).toBe(400)
  })
})
