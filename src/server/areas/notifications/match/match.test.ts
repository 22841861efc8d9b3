import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EVENT_TYPES } from '#contract/core/events.ts'
import { newId } from '#edge/ids.ts'
import type { MatchedEvent, Timing } from '../model/notification.ts'
import { matchesPattern } from '../model/pattern.ts'
import { matchPeople, matchSubscriptions, type SubscriptionFacts } from './match.ts'

const when = { timezone: 'UTC', now: new Date('2026-05-01T09:30:00Z') }
const app = { id: newId('app'), alias: 'shop', name: 'Shop' }
const deployFailed: MatchedEvent = {
  id: 'evt_1',
  type: 'deploy.failed',
  org_id: 'org_1',
  occurred_at: when.now,
  body: { status: 'BUILD_FAILED', actor_id: null, app, deployment_id: newId('dep') },
}
const subscription = (over: Partial<SubscriptionFacts> = {}): SubscriptionFacts => ({
  id: 'sub_1',
  pattern: 'deploy.failed',
  timing: 'immediately',
  created_at: new Date('2026-01-01'),
  channel_id: 'chn_1',
  kind: 'webhook',
  address: null,
  per_message: 50,
  ...over,
})
const matched = (...subscriptions: SubscriptionFacts[]) => matchSubscriptions(deployFailed, subscriptions, when)

describe('NO-04 subscriptions of an organization', () => {
  it('give one notification with what its sending needs', () => {
    expect(matched(subscription())).toEqual([
      {
        event_id: 'evt_1',
        org_id: 'org_1',
        destination_key: 'webhook:chn_1',
        kind: 'webhook',
        channel_id: 'chn_1',
        user_id: null,
        subscription_id: 'sub_1',
        app_id: app.id,
        digest: null,
        dropped_reason: null,
        per_message: 50,
      },
    ])
  })

  it('of other types give none', () => {
    expect(matched(subscription({ pattern: 'pipeline.run.*' }))).toEqual([])
  })

  it.each<[string, Partial<SubscriptionFacts>, Partial<SubscriptionFacts>]>([
    ['the exact one before a wildcard', { pattern: 'deploy.failed', timing: 'daily' }, { pattern: 'deploy.*' }],
    ['the sooner one before a digest', { timing: 'immediately' }, { timing: 'hourly' }],
    ['the older one of equals', { created_at: new Date('2025-01-01') }, { created_at: new Date('2026-01-01') }],
  ])('for one channel count once: %s', (_, first, second) => {
    const both = [subscription({ ...second, id: 'sub_2' }), subscription({ ...first, id: 'sub_1' })]
    expect(matched(...both).map(({ subscription_id }) => subscription_id)).toEqual(['sub_1'])
  })

  it('for two email channels with one address in two spellings count once', () => {
    const mail = { kind: 'email', address: 'ops@example.com' } as const
    const other = { ...mail, id: 'sub_2', channel_id: 'chn_2', address: 'Ops@Example.com' }
    expect(matched(subscription(mail), subscription(other))).toMatchObject([
      { destination_key: 'email:org_1:ops@example.com' },
    ])
  })

  it('with a digest are sent at the end of its window', () => {
    expect(matched(subscription({ timing: 'hourly' }))[0]!.digest).toEqual({
      key: 'subscription:sub_1',
      timing: 'hourly',
      windowEnd: new Date('2026-05-01T10:00:00Z'),
    })
  })

  it('to a forum have a digest for each acting user, because a topic has one author', () => {
    const forum = subscription({ kind: 'forum', timing: 'hourly' })
    const byMara = { ...deployFailed, body: { ...deployFailed.body, actor_id: 'usr_1' } } as MatchedEvent
    expect(matched(forum)[0]!.digest).toMatchObject({ key: 'subscription:sub_1:nobody' })
    expect(matchSubscriptions(byMara, [forum], when)[0]!.digest).toMatchObject({ key: 'subscription:sub_1:usr_1' })
  })

  it('whatever they are, each matching channel gets the event exactly once', () => {
    const patterns = fc.constantFrom(...EVENT_TYPES, 'deploy.*', 'support.*', 'support.ticket.*', 'application.*')
    const facts = fc.record({
      id: fc.uuid(),
      pattern: patterns,
      timing: fc.constantFrom<Timing>('immediately', 'hourly', 'daily'),
      created_at: fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('2100-01-01') }),
      channel_id: fc.constantFrom('chn_1', 'chn_2', 'chn_3'),
      kind: fc.constant('webhook' as const),
      address: fc.constant(null),
      per_message: fc.constant(1),
    })
    fc.assert(
      fc.property(fc.array(facts, { maxLength: 12 }), (subscriptions) => {
        const channels = matched(...subscriptions).map(({ channel_id }) => channel_id)
        const expected = new Set(
          subscriptions.filter(({ pattern }) => matchesPattern(pattern, 'deploy.failed')).map((one) => one.channel_id),
        )
        expect(channels).toHaveLength(expected.size)
        expect(new Set(channels)).toEqual(expected)
      }),
      { seed: 13, numRuns: 300 },
    )
  })
})

describe('NO-05 people', () => {
  it('get a direct message for an app they follow, and a mail that is theirs', () => {
    const mails = [{ subscription_id: 'sub_9', user_id: 'usr_2', address: 'Ann@example.com' }]
    const follows = [{ user_id: 'usr_1', timing: 'daily' as const }]
    expect(matchPeople(deployFailed, { mails, follows }, when)).toMatchObject([
      { destination_key: 'email:org_1:ann@example.com', kind: 'email', user_id: 'usr_2', subscription_id: 'sub_9' },
      {
        destination_key: 'chat_dm:org_1:usr_1',
        kind: 'chat_dm',
        user_id: 'usr_1',
        digest: { key: 'follows:org_1:usr_1:daily', windowEnd: new Date('2026-05-02T09:00:00Z') },
      },
    ])
  })

  it('who chose mail get a mail and no direct message, and a digest for each app, whose link ends one follow', () => {
    const follows = [
      { user_id: 'usr_1', timing: 'daily' as const, address: 'Ann@example.com' },
      { user_id: 'usr_2', timing: 'immediately' as const, address: 'bob@example.com', hasLostPart: true },
    ]
    const [ann, bob, ...others] = matchPeople(deployFailed, { mails: [], follows }, when)
    expect(ann).toMatchObject({
      destination_key: 'email:org_1:ann@example.com',
      kind: 'email',
      user_id: 'usr_1',
      subscription_id: null,
      digest: { key: `follows:org_1:usr_1:daily:${app.id}` },
    })
    expect(bob).toMatchObject({ kind: 'email', user_id: 'usr_2', dropped_reason: 'no_part_in_app' })
    expect(others).toEqual([])
  })

  it('who are mailed about an event anyway get one mail about it, whatever became of their follow', () => {
    const mails = [{ subscription_id: 'sub_9', user_id: 'usr_1', address: 'ann@example.com' }]
    for (const hasLostPart of [false, true]) {
      const follows = [{ user_id: 'usr_1', timing: 'immediately' as const, address: 'Ann@example.com', hasLostPart }]
      const [first, ...others] = matchPeople(deployFailed, { mails, follows }, when)
      expect([first!.subscription_id, first!.dropped_reason, others]).toEqual(['sub_9', null, []])
    }
  })
})
