import { ServiceError } from '#contract/core/errors.ts'
import { confirmEmail, confirmEmailPage } from '#contract/notifications/mail-links.ts'
import { html } from '#edge/pages/html.ts'
import { pageResponse } from '#edge/pages/page.ts'
import { type Route, route } from '#edge/route/route.ts'
import { audit } from '#ports/audit.ts'
import type { NotificationDeps } from '../../model/deps.ts'
import { tokenDigest } from '../../model/link-token.ts'
import { enableUnconfirmed, listUnconfirmed } from '../../subscriptions/store.ts'
import { forgetUnsubscribed, forgetUnsubscribedPart } from '../../subscriptions/unsubscribed-store.ts'
import { findConfirmation, useConfirmation } from './address-store.ts'

type Deps = Pick<NotificationDeps, 'db' | 'clock'>

/** Only the POST confirms, so that a mail scanner that opens the link confirms nothing. */
export function confirmEmailRoutes(deps: Deps): Route[] {
  const { db, clock } = deps
  return [
    route(confirmEmailPage, async ({ token }) => {
      const found = await findConfirmation(db, tokenDigest(token), clock.now())
      return found ? questionPage(found.address) : invalidPage()
    }),
    route(confirmEmail, async ({ token }, { request }) => {
      await refuseOtherForms(request)
      const address = await confirm(deps, tokenDigest(token))
      return address === undefined ? invalidPage() : donePage(address)
    }),
  ]
}

/** Returns the address that was confirmed, or undefined when the link is unknown, used or expired. */
async function confirm({ db, clock }: Deps, digest: Buffer): Promise<string | undefined> {
  const now = clock.now()
  const found = await findConfirmation(db, digest, now)
  if (!found) return undefined
  const { channel_id, org_id, address } = found
  const isUsed = await db.tx(async (tx) => {
    if (!(await useConfirmation(tx, { channelId: channel_id, digest }, now))) return false
    const waiting = await listUnconfirmed(tx, channel_id)
    for (const pattern of waiting) await forgetUnsubscribedPart(tx, { org_id, address, pattern })
    await enableUnconfirmed(tx, channel_id)
    if (waiting.length === 0) await forgetUnsubscribed(tx, { org_id, address })
    await audit(tx, { org_id, actor: 'recipient', action: 'email.confirmed', target: channel_id, at: now })
    return true
  })
  return isUsed ? address : undefined
}

async function refuseOtherForms(request: Request): Promise<void> {
  const form = await request.formData().catch(() => undefined)
  if (form?.get('confirm') === 'yes') return
  throw new ServiceError('INVALID_REQUEST', 'The form must have the field confirm with the value yes.')
}

/** The form has no address, so it is sent to the address of the page itself. */
function questionPage(address: string): Response {
  return pageResponse({
    title: 'Get notifications by email?',
    body: html`<p>Notifications will be mailed to ${address}. Every mail has a link that ends them.</p>
<form method="post">
<input type="hidden" name="confirm" value="yes">
<button class="button main" type="submit">Confirm</button>
</form>`,
  })
}

function donePage(address: string): Response {
  return pageResponse({
    title: 'Address confirmed',
    body: html`<p>Notifications are mailed to ${address} from now on.</p>`,
  })
}

function invalidPage(): Response {
  return pageResponse({
    title: 'This link is not valid',
    status: 404,
    body: html`<p>It was used before, is older than seven days, or was replaced by a newer one. If you still want the notifications, ask the organization to send you a new link.</p>`,
  })
}
