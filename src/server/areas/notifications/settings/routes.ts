import { ServiceError } from '#contract/core/errors.ts'
import { changeNotificationSettings, readNotificationSettings } from '#contract/notifications/settings.ts'
import { type Route, route } from '#edge/route/route.ts'
import { isTimezone } from '#lib/time/timezone.ts'
import { auditBy } from '#ports/audit.ts'
import type { NotificationDeps } from '../model/deps.ts'
import { saveTimezone, timezoneOf } from './store.ts'

export function settingsRoutes({ db, clock, mail }: Pick<NotificationDeps, 'db' | 'clock' | 'mail'>): Route[] {
  return [
    route(readNotificationSettings, async (_, { principal }) => ({
      timezone: await timezoneOf(db, principal.org_id),
      mail: mail === 'mailbox' ? mail : mail === undefined ? 'none' : 'server',
    })),
    route(changeNotificationSettings, async ({ timezone }, { principal }) => {
      refuseUnknownTimezone(timezone)
      const { org_id } = principal
      await db.tx(async (tx) => {
        await saveTimezone(tx, org_id, timezone)
        const change = { action: 'notification_settings.changed', target: org_id, detail: { timezone } }
        await auditBy(tx, principal, { ...change, at: clock.now() })
      })
      return { timezone }
    }),
  ]
}

function refuseUnknownTimezone(timezone: string): void {
  if (isTimezone(timezone)) return
  const message = `${JSON.stringify(timezone)} is not a timezone. Use an IANA name such as Europe/Berlin.`
  throw new ServiceError('INVALID_REQUEST', message, { errors: [{ path: 'timezone', message }] })
}
