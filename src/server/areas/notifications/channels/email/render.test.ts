import { describe, expect, it } from 'vitest'
import type { Notification } from '#contract/notifications/inbox.ts'
import { renderMail } from './render.ts'

const notification = (n: number): Notification => ({
  id: `ntf_${n}`,
  event_type: 'deploy.failed',
  subject: `Deploy ${n} failed`,
  occurred_at: '2026-05-01T10:00:00.000Z',
  org_id: 'org_1',
  app: 'shop',
  link: `https://svc.example.com/apps/shop/deploys/dep_${n}`,
})
const unsubscribeLink = 'https://svc.example.com/unsubscribe/token'

describe('the text of a mail', () => {
  it('NO-09 a single notification says what happened, where and when, and has one button', () => {
    const { subject, text, html } = renderMail({
      notifications: [notification(1)],
      isDigest: false,
      unsubscribeLink: null,
    })
    expect(subject).toBe('Deploy 1 failed')
    expect(text).toBe(`Deploy 1 failed
App: shop
Time: 2026-05-01 10:00 UTC
https://svc.example.com/apps/shop/deploys/dep_1
`)
    expect(html).toMatch(/<h1 [^>]*>Deploy 1 failed<\/h1>/)
    expect(html).toContain('App: shop · 2026-05-01 10:00 UTC')
    expect(html.match(/<a [^>]*href="[^"]*"/g)).toEqual([
      '<a class="button" href="https://svc.example.com/apps/shop/deploys/dep_1"',
    ])
  })

  it('NO-14 a digest is one line and one link per notification', () => {
    const { subject, text } = renderMail({ notifications: [1, 2].map(notification), isDigest: true, unsubscribeLink })
    expect(subject).toBe('2 notifications')
    expect(text).toBe(`2 notifications

Deploy 1 failed
App: shop
Time: 2026-05-01 10:00 UTC
https://svc.example.com/apps/shop/deploys/dep_1

Deploy 2 failed
App: shop
Time: 2026-05-01 10:00 UTC
https://svc.example.com/apps/shop/deploys/dep_2

-- 
Unsubscribe from these mails: https://svc.example.com/unsubscribe/token
`)
  })

  it('NO-14 a digest of many notifications says how many it leaves out', () => {
    const notifications = Array.from({ length: 103 }, (_, n) => notification(n))
    const { subject, text, html } = renderMail({ notifications, isDigest: true, unsubscribeLink })
    expect(subject).toBe('103 notifications')
    for (const body of [text, html]) {
      expect(body).toContain('dep_99')
      expect(body).not.toContain('dep_100')
      expect(body).toContain('3 more in your notifications.')
    }
  })

  it('NO-09 text of an event cannot add markup', () => {
    const hostile = { ...notification(1), subject: '<img src=x onerror=alert(1)>', app: '"><script>' }
    const { html } = renderMail({ notifications: [hostile], isDigest: false, unsubscribeLink: null })
    expect(html).toContain('&lt;img src=x onerror=alert(1)&gt;')
    expect(html).not.toContain('<img')
    expect(html).not.toContain('<script')
    expect(html).not.toContain('Unsubscribe')
  })
})
