import { notFound } from '#contract/core/errors.ts'
import { changeWebhook, createWebhook, deleteWebhook } from '#contract/notifications/webhooks.ts'
import { actorOf } from '#edge/credentials/actor.ts'
import { type Member, type Route, route } from '#edge/http/route.ts'
import type { Clock } from '#lib/clock.ts'
import type { Sealer } from '#lib/crypto/seal.ts'
import type { Db, Tx } from '#lib/db/db.ts'
import { audit } from '#ports/audit.ts'
import { presentChannel } from '../routes.ts'
import { type ChannelRow, deleteChannel, findChannel, insertChannel } from '../store.ts'
import {
  lockWebhooks,
  readUrl,
  refuseKnownUrl,
  refuseTooManyWebhooks,
  replaceUrl,
  updateWebhook,
  type WebhookSettings,
} from './store.ts'
import { type AddressCheck, labelOf, refuseUnusableUrl, urlWarnings } from './url.ts'

type Deps = { db: Db; sealer: Sealer; clock: Clock; checkAddress: AddressCheck }

export function webhookRoutes(deps: Deps): Route[] {
  return [createRoute(deps), changeRoute(deps), deleteRoute(deps)]
}

function createRoute({ db, sealer, clock, checkAddress }: Deps): Route {
  return route(createWebhook, async ({ url, name = null, per_message }, { principal }) => {
    const { org_id } = principal
    await refuseUnusableUrl(checkAddress, url)
    return db.tx(async (tx) => {
      await lockWebhooks(tx, org_id)
      await refuseKnownUrl(tx, sealer, { orgId: org_id, url })
      await refuseTooManyWebhooks(tx, org_id)
      const settings: WebhookSettings = { name, per_message }
      const added = { org_id, kind: 'webhook', label: labelOf(url, name), settings, secret: url } as const
      const channel = await insertChannel(tx, sealer, added)
      await auditChange(tx, principal, { action: 'webhook.created', channel, at: clock.now() })
      return { ...presentChannel(channel), warnings: urlWarnings(url) }
    })
  })
}

function changeRoute({ db, sealer, clock, checkAddress }: Deps): Route {
  return route(changeWebhook, async ({ id, url: newUrl, ...change }, { principal }) => {
    const { org_id } = principal
    if (newUrl !== undefined) await refuseUnusableUrl(checkAddress, newUrl)
    return db.tx(async (tx) => {
      await lockWebhooks(tx, org_id)
      const before = await findWebhook(tx, org_id, id)
      const url = newUrl ?? (await readUrl(tx, sealer, id))
      if (newUrl !== undefined) {
        await refuseKnownUrl(tx, sealer, { orgId: org_id, url, exceptId: id })
        await replaceUrl(tx, sealer, { id, url })
      }
      const { name, per_message } = before.settings as WebhookSettings
      const settings = { name, per_message, ...given(change) }
      await updateWebhook(tx, { id, label: labelOf(url, settings.name), settings })
      const channel = (await findChannel(tx, org_id, id))!
      const detail = { url_changed: newUrl !== undefined }
      await auditChange(tx, principal, { action: 'webhook.changed', channel, detail, at: clock.now() })
      return { ...presentChannel(channel), warnings: urlWarnings(url) }
    })
  })
}

function deleteRoute({ db, clock }: Deps): Route {
  return route(deleteWebhook, async ({ id }, { principal }) => {
    return db.tx(async (tx) => {
      await lockWebhooks(tx, principal.org_id)
      const channel = await findWebhook(tx, principal.org_id, id)
      await deleteChannel(tx, id)
      await auditChange(tx, principal, { action: 'webhook.deleted', channel, at: clock.now() })
      return { deleted: true as const }
    })
  })
}

async function findWebhook(tx: Tx, orgId: string, id: string): Promise<ChannelRow> {
  const channel = await findChannel(tx, orgId, id)
  if (channel?.kind !== 'webhook') throw notFound('webhook')
  return channel
}

type Change = { name?: string | null | undefined; per_message?: number | undefined }

function given({ name, per_message }: Change): Partial<WebhookSettings> {
  return { ...(name !== undefined && { name }), ...(per_message !== undefined && { per_message }) }
}

type Audited = { action: string; channel: ChannelRow; detail?: Record<string, unknown>; at: Date }

async function auditChange(tx: Tx, principal: Member, { action, channel, detail, at }: Audited): Promise<void> {
  const { org_id } = principal
  const entry = { org_id, actor: actorOf(principal), action, target: channel.id, at }
  await audit(tx, { ...entry, detail: { label: channel.label, ...detail } })
}
