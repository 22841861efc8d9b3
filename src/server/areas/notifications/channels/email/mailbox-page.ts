import { notFound } from '#contract/core/errors.ts'
import { mailboxPage } from '#contract/notifications/mailbox.ts'
import { type Html, html } from '#edge/pages/html.ts'
import { pageResponse } from '#edge/pages/page.ts'
import { type Route, route } from '#edge/route/route.ts'
import { isThisMachine } from '#lib/net/address/loopback.ts'
import type { NotificationDeps } from '../../model/deps.ts'
import { listKeptMails, type StoredMail } from './mailbox-store.ts'

/** Mails contain unsubscribe links, so only an owner at this machine sees them, asked for through no proxy. */
export function mailboxRoute({ db, sealer, mail }: Pick<NotificationDeps, 'db' | 'sealer' | 'mail'>): Route {
  return route(mailboxPage, async (_, { principal, direct, clientAddress }) => {
    if (mail !== 'mailbox' || !direct || !isLoopbackAddress(clientAddress)) throw notFound()
    const mails = await listKeptMails(db, sealer, principal.org_id)
    const body =
      mails.length === 0
        ? html`<p>No mail was sent yet.</p>`
        : html`<p>Press a line to open its mail.</p>${mails.map(mailOf)}`
    return pageResponse({
      title: 'Mailbox',
      body: html`<p class="soft">Mails are kept here because SVC_SMTP_URL is not set. <a href="/">Back to the console</a></p>${body}`,
    })
  })
}

function isLoopbackAddress(address: string): boolean {
  return isThisMachine(address) || address === '::1'
}

function mailOf({ recipient, subject, body, kept_at }: StoredMail): Html {
  return html`<details class="line">
<summary><span class="opens">${subject}</span><span class="soft"> to ${recipient}, ${timeOf(kept_at)}</span></summary>
<pre>${withLinks(body)}</pre>
</details>
`
}

/** The page has no script that could show the time of the reader's zone. */
function timeOf(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

function withLinks(text: string): Html[] {
  return text
    .split(/(https?:\/\/\S+)/)
    .map((part, index) => (index % 2 === 1 ? html`<a href="${part}">${part}</a>` : html`${part}`))
}
