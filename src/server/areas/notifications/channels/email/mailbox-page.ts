import { notFound } from '#contract/core/errors.ts'
import { mailboxPage } from '#contract/notifications/mailbox.ts'
import { type Route, route } from '#edge/http/route.ts'
import { type Html, html } from '#edge/pages/html.ts'
import { pageResponse } from '#edge/pages/page.ts'
import type { Sealer } from '#lib/crypto/seal.ts'
import type { Querier } from '#lib/db/db.ts'
import { isThisMachine } from '#lib/net/loopback.ts'
import { type KeptMail, listKeptMails } from './mailbox-store.ts'

type Deps = {
  db: Querier
  sealer: Sealer
  /** Whether mails are kept on this machine instead of being sent. */
  hasMailbox: boolean
}

/** Mails contain unsubscribe links, so only an owner at this machine sees them, asked for through no proxy. */
export function mailboxRoute({ db, sealer, hasMailbox }: Deps): Route {
  return route(mailboxPage, async (_, { principal, direct, clientAddress }) => {
    if (!hasMailbox || !direct || !isLoopbackAddress(clientAddress)) throw notFound()
    const mails = await listKeptMails(db, sealer, principal.org_id)
    const body = mails.length === 0 ? html`<p>No mail was sent yet.</p>` : html`${mails.map(mailOf)}`
    return pageResponse({
      title: 'Mailbox',
      body: html`<p class="soft">Mails are kept here because SVC_SMTP_URL is not set.</p>${body}`,
    })
  })
}

function isLoopbackAddress(address: string): boolean {
  return isThisMachine(address) || address === '::1'
}

function mailOf({ recipient, subject, body, kept_at }: KeptMail & { kept_at: Date }): Html {
  return html`<details>
<summary>${subject}</summary>
<p class="soft">To ${recipient}, ${kept_at.toISOString()}</p>
<pre>${withLinks(body)}</pre>
</details>
`
}

function withLinks(text: string): Html[] {
  return text
    .split(/(https?:\/\/\S+)/)
    .map((part, index) => (index % 2 === 1 ? html`<a href="${part}">${part}</a>` : html`${part}`))
}
