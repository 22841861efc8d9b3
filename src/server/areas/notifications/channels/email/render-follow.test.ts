import { expect, it } from 'vitest'
import type { DueNotification } from '../../deliver/due-notification.ts'
import { renderFollowMail } from './render-follow.ts'

const due = (n: number, status: 'BUILD_FAILED' | 'TIMED_OUT'): DueNotification => ({
  id: `ntf_${n}`,
  subscription_id: null,
  user_id: 'usr_1',
  event: {
    id: `evt_${n}`,
    type: 'deploy.failed',
    org_id: 'org_1',
    occurred_at: new Date('2026-05-01T10:00:00Z'),
    body: {
      status,
      actor_id: null,
      app: { id: 'app_1', alias: 'shop', name: 'Shop <b>' },
      deployment_id: `dep_${n}`,
    },
  },
})
const unsubscribeLink = 'https://svc.example.com/unsubscribe/token'

it('NO-14 a digest of a follow is one mail: a line for each status with its number, and one link', () => {
  const notifications = [due(1, 'BUILD_FAILED'), due(2, 'TIMED_OUT'), due(3, 'BUILD_FAILED')]
  const mail = renderFollowMail({ notifications, isDigest: true, baseUrl: 'https://svc.example.com', unsubscribeLink })
  expect(mail.subject).toBe('Shop <b>: 3 notifications')
  expect(mail.text).toBe(`Shop <b>: 3 notifications

Shop <b> · Failed deploys · BUILD_FAILED × 2

Shop <b> · Failed deploys · TIMED_OUT × 1

https://svc.example.com/inbox

-- 
Stop following this app: https://svc.example.com/unsubscribe/token
`)
  expect(mail.html).toContain('Shop &lt;b&gt; · Failed deploys · BUILD_FAILED × 2')
  expect([...mail.html.matchAll(/href="([^"]+)"/g)].map(([, link]) => link)).toEqual([
    'https://svc.example.com/inbox',
    unsubscribeLink,
  ])
})

it('NO-14 a digest with one notification says so', () => {
  const notifications = [due(1, 'BUILD_FAILED')]
  const mail = renderFollowMail({
    notifications,
    isDigest: true,
    baseUrl: 'https://svc.example.com',
    unsubscribeLink: null,
  })
  expect(mail.subject).toBe('Shop <b>: 1 notification')
  expect(mail.text).not.toContain('Stop following')
})
