import type { ChatPostMessageArguments } from '@slack/web-api'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { EventOf } from '#contract/core/events.ts'
import { subjectLine } from '#contract/core/subject-line.ts'
import { newId } from '#edge/ids.ts'
import type { DueNotification } from '../../deliver/due-notification.ts'
import { type ChatMessage, channelMessage, personalMessage } from './message.ts'

const org = newId('org')
const baseUrl = 'https://svc.example.com'
const DEPLOYMENT = newId('dep')
const at = new Date('2026-05-01T10:00:00Z')

const failedDeploy = (name = 'Shop', alias = 'shop', status: 'BUILD_FAILED' | 'TIMED_OUT' = 'BUILD_FAILED') =>
  notification({
    type: 'deploy.failed',
    org_id: org,
    occurred_at: at,
    body: { status, actor_id: null, app: { id: newId('app'), alias, name }, deployment_id: DEPLOYMENT },
  })

function notification(event: EventOf): DueNotification {
  return { id: newId('ntf'), subscription_id: null, user_id: null, event: { ...event, id: newId('evt') } }
}

/** Compiles only while the message is what Slack's own library would send. */
const asArguments = (message: ChatMessage): ChatPostMessageArguments => ({ channel: 'D1', ...message })
const textOf = (message: ChatMessage) => {
  expect(message.blocks).toEqual([{ type: 'section', text: { type: 'mrkdwn', text: message.text, verbatim: true } }])
  expect(asArguments(message)).toMatchObject({ unfurl_links: false, unfurl_media: false })
  return message.text
}
const channelText = (notifications: DueNotification[], isDigest = false) =>
  textOf(channelMessage({ notifications, isDigest, baseUrl }))
const personalText = (notifications: DueNotification[], isDigest = false) =>
  textOf(personalMessage({ notifications, isDigest, baseUrl }))

describe('NO-10 a message in a chat channel', () => {
  it('is one line and one link', () => {
    expect(channelText([failedDeploy()])).toBe(
      `Deploy of Shop failed: BUILD_FAILED <https://svc.example.com/apps/shop/deploys/${DEPLOYMENT}|Open>`,
    )
  })

  it('escapes what people typed, so that it makes no link, mention or second line', () => {
    expect(channelText([failedDeploy('<!channel> & <https://evil.example|Open>\nSons')])).toBe(
      `Deploy of &lt;!channel&gt; &amp; &lt;https://evil.example|Open&gt; Sons failed: BUILD_FAILED <https://svc.example.com/apps/shop/deploys/${DEPLOYMENT}|Open>`,
    )
  })

  it('is short, however long the names are', () => {
    expect(channelText([failedDeploy('&'.repeat(5000))]).length).toBeLessThan(1500)
  })

  it.each<[string, DueNotification[], string]>([
    [
      'one app',
      [failedDeploy(), failedDeploy()],
      '2 notifications about Shop <https://svc.example.com/apps/shop|Open>',
    ],
    ['one event', [failedDeploy()], '1 notification about Shop <https://svc.example.com/apps/shop|Open>'],
    [
      'many apps',
      ['A', 'B', 'C', 'D', 'E'].map((name) => failedDeploy(name, name.toLowerCase())),
      '5 notifications about A, B, C, 2 more <https://svc.example.com/apps|Open>',
    ],
    [
      'no app',
      [
        notification({
          type: 'org.support_access.started',
          org_id: org,
          occurred_at: at,
          body: { status: 'read_only', actor_id: null, support_session_id: newId('sup') },
        }),
      ],
      '1 notification <https://svc.example.com/|Open>',
    ],
  ])('that collects those of %s is one line and one link', (_, notifications, expected) => {
    expect(channelText(notifications, true)).toBe(expected)
  })
})

describe('NO-10 a direct message', () => {
  it('has only the app, the category, the status code and one link', () => {
    expect(personalText([failedDeploy('Shop & <b>Sons</b>')])).toBe(
      `Shop &amp; &lt;b&gt;Sons&lt;/b&gt; · Failed deploys · BUILD_FAILED <https://svc.example.com/apps/shop/deploys/${DEPLOYMENT}|Open>`,
    )
  })

  it('never has the title of a ticket', () => {
    const ticket = { id: newId('tkt'), title: 'Secret title' }
    const app = { id: newId('app'), alias: 'shop', name: 'Shop' }
    const event = notification({
      type: 'support.ticket.created',
      org_id: org,
      occurred_at: at,
      body: { status: 'filed', actor_id: null, app, ticket, reporter_id: null },
    })
    expect(personalText([event])).toBe(
      `Shop · Tickets · filed <https://svc.example.com/apps/shop/tickets/${ticket.id}|Open>`,
    )
  })

  it('that collects a day has a line per app, category and code with its count, and one link', () => {
    const notifications = [
      failedDeploy(),
      failedDeploy('Billing', 'billing'),
      failedDeploy('Shop', 'shop', 'TIMED_OUT'),
      failedDeploy(),
    ]
    expect(personalText(notifications, true)).toBe(
      [
        'Shop · Failed deploys · BUILD_FAILED × 2',
        'Billing · Failed deploys · BUILD_FAILED × 1',
        'Shop · Failed deploys · TIMED_OUT × 1',
        '<https://svc.example.com/inbox|Open>',
      ].join('\n'),
    )
  })

  it('that collects very many fits into what Slack accepts and says how many lines are left out', () => {
    const many = Array.from({ length: 400 }, (_, i) => failedDeploy(`${i}${'<'.repeat(200)}`))
    const written = personalText(many, true)
    expect(written.length).toBeLessThan(3000)
    const lines = written.split('\n')
    expect(lines.at(-2)).toBe(`… and ${400 - (lines.length - 2)} more`)
  })

  it('NO-14 that collects any mix counts each notification once, within what Slack accepts', () => {
    const names = fc.oneof(fc.constantFrom('Shop', 'Billing', 'A & B'), fc.string({ unit: 'binary', maxLength: 200 }))
    const codes = fc.constantFrom('BUILD_FAILED' as const, 'TIMED_OUT' as const)
    const mixes = fc.array(fc.tuple(names.map(subjectLine), codes), { minLength: 1, maxLength: 60 })
    fc.assert(
      fc.property(mixes, (mix) => {
        const notifications = mix.map(([name, code]) => failedDeploy(name, 'shop', code))
        const written = personalText(notifications, true)
        expect(written.length).toBeLessThan(3000)
        const lines = written.split('\n')
        expect(lines.pop()).toBe('<https://svc.example.com/inbox|Open>')
        const left = /^… and (\d+) more$/.exec(lines.at(-1)!)
        const shown = left ? lines.slice(0, -1) : lines
        const counted = shown.reduce((sum, line) => sum + Number(/ × (\d+)$/.exec(line)![1]), 0)
        expect(new Set(shown).size).toBe(shown.length)
        if (left) expect(counted).toBeLessThan(mix.length)
        else expect(counted).toBe(mix.length)
        expect(lines.join('')).not.toMatch(/[<>]/)
      }),
      { seed: 15, numRuns: 200 },
    )
  })
})
