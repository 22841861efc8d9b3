import { ServiceError } from '#contract/core/errors.ts'
import { unsubscribe, unsubscribePage } from '#contract/notifications/unsubscribe.ts'
import { type Route, route } from '#edge/http/route.ts'
import { html } from '#edge/pages/html.ts'
import { pageResponse } from '#edge/pages/page.ts'
import type { Db } from '#lib/db/db.ts'
import { unsubscribeDigest } from './unsubscribe-token.ts'
import { hasUnsubscribeDigest, unsubscribeByDigest } from './unsubscribed-store.ts'

/** An unknown token gets the same pages with the status 404. */
export function unsubscribeRoutes({ db }: { db: Db }): Route[] {
  return [
    route(unsubscribePage, async ({ token }) => {
      return questionPage(await hasUnsubscribeDigest(db, unsubscribeDigest(token)))
    }),
    route(unsubscribe, async ({ token }, { request }) => {
      await refuseOtherForms(request)
      return donePage(await db.tx((tx) => unsubscribeByDigest(tx, unsubscribeDigest(token))))
    }),
  ]
}

/** The body that RFC 8058 section 3.1 requires. It also tells an unsubscription from a request by accident. */
async function refuseOtherForms(request: Request): Promise<void> {
  const form = await request.formData().catch(() => undefined)
  if (form?.get('List-Unsubscribe') === 'One-Click') return
  throw new ServiceError('INVALID_REQUEST', 'The form must have the field List-Unsubscribe with the value One-Click.')
}

/** The form has no address, so it is sent to the address of the page itself. */
function questionPage(isKnown: boolean): Response {
  return pageResponse({
    title: 'Unsubscribe?',
    status: isKnown ? 200 : 404,
    body: html`<p>You will get no more mails of this kind.</p>
<form method="post">
<input type="hidden" name="List-Unsubscribe" value="One-Click">
<button class="button main" type="submit">Unsubscribe</button>
</form>`,
  })
}

function donePage(isKnown: boolean): Response {
  return pageResponse({
    title: 'You are unsubscribed',
    status: isKnown ? 200 : 404,
    body: html`<p>You will get no more mails of this kind.</p>`,
  })
}
