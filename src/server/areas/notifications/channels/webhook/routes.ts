import { changeWebhook, createWebhook, deleteWebhook } from '#contract/notifications/webhooks.ts'
import { type Route, route } from '#edge/route/route.ts'
import { auditBy } from '#ports/audit.ts'
import type { NotificationDeps } from '../../model/deps.ts'
import { presentChannel } from '../routes.ts'
import { deleteChannel, insertChannel, lockChannels, requireChannel } from '../store.ts'
import {
  readUrl,
  refuseKnownUrl,
  refuseTooManyWebhooks,
  replaceUrl,
  updateWebhook,
  type WebhookSettings,
} from './store.ts'
import { labelOf, refuseUnusableUrl, urlWarnings } from './url.ts'

type Deps = Pick<NotificationDeps, 'db' | 'sealer' | 'clock' | 'checkAddress'>

export function webhookRoutes({ db, sealer, clock, checkAddress }: Deps): Route[] {
  return [
    route(createWebhook, async ({ url, name = null, per_message }, { principal }) => {
      const { org_id } = principal
      await refuseUnusableUrl(checkAddress, url)
      return db.tx(async (tx) => {
        await lockChannels(tx, org_id, 'webhook')
        await refuseKnownUrl(tx, sealer, { orgId: org_id, url })
        await refuseTooManyWebhooks(tx, org_id)
        const settings: WebhookSettings = { name, per_message }
        const added = { org_id, kind: 'webhook', label: labelOf(url, name), settings, secret: url } as const
        const channel = await insertChannel(tx, sealer, added)
        const { id, label } = channel
        await auditBy(tx, principal, { action: 'webhook.created', target: id, detail: { label }, at: clock.now() })
        return { ...presentChannel(channel, clock.now()), warnings: urlWarnings(url) }
      })
    }),
    route(changeWebhook, async ({ id, url: newUrl, ...change }, { principal }) => {
      const { org_id } = principal
      if (newUrl !== undefined) await refuseUnusableUrl(checkAddress, newUrl)
      return db.tx(async (tx) => {
        await lockChannels(tx, org_id, 'webhook')
        const before = await requireChannel(tx, org_id, id, 'webhook')
        const url = newUrl ?? (await readUrl(tx, sealer, id))
        if (newUrl !== undefined) {
          await refuseKnownUrl(tx, sealer, { orgId: org_id, url, exceptId: id })
          await replaceUrl(tx, sealer, { id, url })
        }
        const { name, per_message } = before.settings as WebhookSettings
        const settings = {
          name: change.name === undefined ? name : change.name,
          per_message: change.per_message ?? per_message,
        }
        await updateWebhook(tx, { id, label: labelOf(url, settings.name), settings })
        const channel = await requireChannel(tx, org_id, id)
        const detail = { label: channel.label, url_changed: newUrl !== undefined }
        await auditBy(tx, principal, { action: 'webhook.changed', target: id, detail, at: clock.now() })
        return { ...presentChannel(channel, clock.now()), warnings: urlWarnings(url) }
      })
    }),
    route(deleteWebhook, async ({ id }, { principal }) => {
      return db.tx(async (tx) => {
        await lockChannels(tx, principal.org_id, 'webhook')
        const { label } = await requireChannel(tx, principal.org_id, id, 'webhook')
        await deleteChannel(tx, id)
        await auditBy(tx, principal, { action: 'webhook.deleted', target: id, detail: { label }, at: clock.now() })
        return { deleted: true as const }
      })
    }),
  ]
}
