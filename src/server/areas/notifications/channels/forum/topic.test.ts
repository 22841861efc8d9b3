import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { subjectLine } from '#contract/core/subject-line.ts'
import type { Notification } from '#contract/notifications/inbox.ts'
import { externalIdOf, renderTopic } from './topic.ts'

const notification = (changed: Partial<Notification> = {}): Notification => ({
  id: 'ntf_1',
  event_type: 'deploy.failed',
  subject: 'Deploy of Shop failed: BUILD_FAILED',
  occurred_at: '2026-05-01T10:00:03.000Z',
  org_id: 'org_1',
  app: 'shop',
  link: 'https://svc.example.com/apps/shop/deploys/dep_1',
  ...changed,
})
const one = { externalId: 'evt_01m7ef3pmye2s88xhbym313vns', isDigest: false }

describe('NO-11 a forum topic', () => {
  it('has a title that no other topic has, and one link', () => {
    expect(renderTopic([notification()], one)).toEqual({
      title: 'Deploy of Shop failed: BUILD_FAILED (2026-05-01 10:00 UTC) 313vns',
      raw: [
        '`Deploy of Shop failed: BUILD_FAILED`\ndeploy.failed, shop, 2026-05-01T10:00:03.000Z\n[Open](https://svc.example.com/apps/shop/deploys/dep_1)',
        'Reference: evt_01m7ef3pmye2s88xhbym313vns',
      ].join('\n\n'),
    })
  })

  it('shows text that people typed as code, so that it mentions nobody and embeds nothing', () => {
    const { raw } = renderTopic([notification({ subject: 'New ticket: `@admins` ![](http://x)' })], one)
    expect(raw.split('\n')[0]).toBe("`New ticket: '@admins' ![](http://x)`")
  })

  it('shortens words and titles that Discourse would refuse', () => {
    const word = 'x'.repeat(80)
    const { title } = renderTopic([notification({ subject: `Ticket: ${word}` })], one)
    expect(title).toBe(`Ticket: ${'x'.repeat(29)}… (2026-05-01 10:00 UTC) 313vns`)
    expect(renderTopic([notification({ subject: 'y '.repeat(100) })], one).title.length).toBeLessThanOrEqual(255)
  })

  it('has a title and a text that Discourse takes, whatever the subject is', () => {
    const longWords = fc.string({ unit: fc.constantFrom('a', '👍', '中', '`'), minLength: 20, maxLength: 120 })
    const sentences = fc.array(longWords, { maxLength: 3 }).map((words) => words.join(' '))
    const subjects = fc.oneof(fc.string({ unit: 'binary', maxLength: 300 }), sentences)
    fc.assert(
      fc.property(subjects.map(subjectLine), (subject) => {
        const { title, raw } = renderTopic([notification({ subject })], one)
        expect(title.isWellFormed() && raw.isWellFormed()).toBe(true)
        expect(Array.from(title).length).toBeLessThanOrEqual(255)
        for (const word of title.split(/\s/)) expect(Array.from(word).length).toBeLessThanOrEqual(30)
        // The subject is one span of code, which nothing in it ends.
        expect(raw.split('\n')[0]).toMatch(/^`[^`]*`$/)
      }),
      { seed: 15, numRuns: 500 },
    )
  })

  it('of a digest has one block for each notification, at most sixty', () => {
    const many = Array.from({ length: 61 }, () => notification())
    const { title, raw } = renderTopic(many, { externalId: 'svc-0123456789', isDigest: true })
    expect(title).toBe('61 notifications from 2026-05-01 10:00 UTC 456789')
    expect(raw.match(/\[Open]/g)).toHaveLength(60)
    expect(raw).toContain('1 more in the list of deliveries.')
  })
})

describe('NO-11 the external id of a topic', () => {
  const window = { digest_key: 'subscription:sub_1:usr_1', window_end: new Date('2026-05-01T11:00:00Z') }

  it('is the id of its event', () => {
    expect(externalIdOf({ digest_key: null, window_end: null, event_id: one.externalId })).toBe(one.externalId)
  })

  it('of a digest follows from its window, and differs from that of every other window', () => {
    const id = externalIdOf({ ...window, event_id: 'evt_1' })
    expect(id).toMatch(/^svc-[0-9a-f]{40}$/)
    expect(externalIdOf({ ...window, event_id: 'evt_2' })).toBe(id)
    expect(externalIdOf({ ...window, window_end: new Date('2026-05-01T12:00:00Z'), event_id: 'evt_1' })).not.toBe(id)
    expect(externalIdOf({ ...window, digest_key: 'subscription:sub_1:usr_2', event_id: 'evt_1' })).not.toBe(id)
  })
})
