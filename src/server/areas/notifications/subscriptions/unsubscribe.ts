import { ServiceError } from '#contract/core/errors.ts'
import { unsubscribe, unsubscribePage } from '#contract/notifications/mail-links.ts'
import { html } from '#edge/pages/html.ts'
import { pageResponse } from '#edge/pages/page.ts'
import { type Route, route } from '#edge/route/route.ts'
import type { Db } from '#lib/db/db.ts'
import { endFollowByDigest, hasFollowLink } from '../follow-links/store.ts'
import { tokenDigest } from '../model/link-token.ts'
import { hasRefusalLink, refuseByDigest } from './refusal-store.ts'
import { hasUnsubscribeDigest, unsubscribeByDigest } from './unsubscribed-store.ts'

export function unsubscribeRoutes({ db }: { db: Db }): Route[] {
  return [
    route(unsubscribePage, async ({ token }) => {
      const digest = tokenDigest(token)
      if (await hasRefusalLink(db, digest)) return questionPage(REFUSE)
      if (await hasFollowLink(db, digest)) return questionPage(UNFOLLOW)
      return (await hasUnsubscribeDigest(db, digest)) ? questionPage(UNSUBSCRIBE) : unknownPage()
    }),
    route(unsubscribe, async ({ token }, { request }) => {
      await refuseOtherForms(request)
      const digest = tokenDigest(token)
      if (await db.tx((tx) => refuseByDigest(tx, digest))) return donePage(REFUSE)
      if (await db.tx((tx) => endFollowByDigest(tx, digest))) return donePage(UNFOLLOW)
      const isKnown = await db.tx((tx) => unsubscribeByDigest(tx, digest))
      return isKnown ? donePage(UNSUBSCRIBE) : unknownPage()
    }),
  ]
}

/** The body that RFC 8058 section 3.1 requires. It also tells an unsubscription from a request by accident. */
async function refuseOtherForms(request: Request): Promise<void> {
  const form = await request.formData().catch(() => undefined)
  if (form?.get('List-Unsubscribe') === 'One-Click') return
  throw new ServiceError('INVALID_REQUEST', 'The form must have the field List-Unsubscribe with the value One-Click.')
}

const UNSUBSCRIBE = {
  title: 'Unsubscribe?',
  button: 'Unsubscribe',
  done: 'You are unsubscribed',
  effect: 'You will get no more mails of this kind.',
} as const
const REFUSE = {
  title: 'Get no more requests?',
  button: 'Refuse further requests',
  done: 'You will not be asked again',
  effect: 'This organization cannot ask you to confirm this address any more.',
} as const
const UNFOLLOW = {
  title: 'Stop following this app?',
  button: 'Stop following',
  done: 'You do not follow this app any more',
  effect: 'You will get no more mails about this app. Other apps that you follow stay as they are.',
} as const
type Texts = typeof UNSUBSCRIBE | typeof REFUSE | typeof UNFOLLOW

/** The form has no address, so it is sent to the address of the page itself. */
function questionPage({ title, button, effect }: Texts): Response {
  return pageResponse({
    title,
    body: html`<p>${effect}</p>
<form method="post">
<input type="hidden" name="List-Unsubscribe" value="One-Click">
<button class="button main" type="submit">${button}</button>
</form>`,
  })
}

function donePage({ done, effect }: Texts): Response {
  return pageResponse({ title: done, body: html`<p>${effect}</p>` })
}

function unknownPage(): Response {
  return pageResponse({
    title: 'This link is not valid',
    status: 404,
    body: html`<p>No mail of ours has this link, so nothing was changed. Open the link of the mail again, or copy all of it.</p>`,
  })
}
