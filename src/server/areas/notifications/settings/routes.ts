import { ServiceError } from '#contract/core/errors.ts'
import { changeNotificationSettings, readNotificationSettings } from '#contract/notifications/settings.ts'
import { actorOf } from '#edge/credentials/actor.ts'
import { type Route, route } from '#edge/http/route.ts'
import type { Clock } from '#lib/clock.ts'
import type { Db } from '#lib/db/db.ts'
import { isTimezone } from '#lib/timezone.ts'
import { audit } from '#ports/audit.ts'
import { saveTimezone, timezoneOf } from './store.ts'

/** `mailbox`: mails are kept on this machine. Undefined: no mail can be sent. */
type Deps = { db: Db; clock: Clock; mail?: object | 'mailbox' | undefined }

export function settingsRoutes({ db, clock, mail }: Deps): Route[] {
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
        const action = 'notification_settings.changed'
        await audit(tx, {
          org_id,
          actor: actorOf(principal),
          action,
          target: org_id,
          detail: { timezone },
          at: clock.now(),
        })
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
