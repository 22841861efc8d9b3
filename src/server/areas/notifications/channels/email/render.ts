import type { Notification } from '#contract/notifications/inbox.ts'
import { type Html, html } from '#edge/pages/html.ts'
import { mailButton, mailDocument, mailHeading, mailParagraph, type RenderedMail } from './layout.ts'

type RenderInput = {
  /** Never empty. */
  readonly notifications: readonly Notification[]
  readonly isDigest: boolean
  /** Null where the mail belongs to no subscription. */
  readonly unsubscribeLink: string | null
}

const MAX_LINES = 100

/**
 * Renders what happened, when and where to look, never the body of an event. A single notification has a button, a
 * digest a link per notification.
 */
export function renderMail({ notifications, isDigest, unsubscribeLink }: RenderInput): RenderedMail {
  const [first] = notifications
  const isList = isDigest || notifications.length > 1
  const subject = isList ? countText(notifications.length) : first!.subject
  const shown = notifications.slice(0, MAX_LINES)
  const more = notifications.length - shown.length
  return {
    subject,
    text: toText({ heading: isList ? subject : null, shown, more, unsubscribeLink }),
    html: mailDocument({
      title: subject,
      body: html`${mailHeading(subject)}${isList ? listOf(shown, more) : singleOf(first!)}`,
      footer: unsubscribeLink === null ? null : unsubscribeFooter(unsubscribeLink, 'Unsubscribe', 'from these mails.'),
    }),
  }
}

type Parts = {
  heading: string | null
  shown: readonly Notification[]
  more: number
  unsubscribeLink: string | null
}

function countText(count: number): string {
  return count === 1 ? '1 notification' : `${count} notifications`
}

function toText({ heading, shown, more, unsubscribeLink }: Parts): string {
  const blocks = [
    ...(heading === null ? [] : [heading]),
    ...shown.map(({ subject, app, occurred_at, link }) =>
      [subject, ...(app === undefined ? [] : [`App: ${app}`]), `Time: ${timeText(occurred_at)}`, link].join('\n'),
    ),
    ...(more === 0 ? [] : [`${more} more in your notifications.`]),
  ]
  const ending = unsubscribeLink === null ? '' : `\n-- \nUnsubscribe from these mails: ${unsubscribeLink}\n`
  return `${blocks.join('\n\n')}\n${ending}`
}

/** To the minute. Readers live in different timezones, so the text names its own. */
function timeText(at: string): string {
  return `${at.slice(0, 16).replace('T', ' ')} UTC`
}

function singleOf(notification: Notification): Html {
  return html`<div style="margin:8px 0 0">${facts(notification)}</div>
${mailButton({ label: 'Open', link: notification.link })}`
}

function listOf(shown: readonly Notification[], more: number): Html {
  return html`${shown.map(item)}${more > 0 && mailParagraph(`${more} more in your notifications.`)}`
}

function item(notification: Notification): Html {
  const { subject, link } = notification
  return html`<div style="margin:16px 0 0">
<a class="link" href="${link}" style="color:#4250c9;font-weight:600;overflow-wrap:anywhere;word-break:break-word">${subject}</a>
${facts(notification)}
</div>
`
}

function facts({ app, occurred_at }: Notification): Html {
  return html`<div class="soft" style="color:#59636e;font-size:14px;overflow-wrap:anywhere">${app !== undefined && `App: ${app} · `}${timeText(occurred_at)}</div>`
}

export function unsubscribeFooter(link: string, act: string, rest: string): Html {
  return html`<p class="soft" style="max-width:560px;margin:16px auto 0;padding:0 20px;color:#59636e;font-size:13px;box-sizing:border-box"><a class="soft" href="${link}" style="color:#59636e">${act}</a> ${rest}</p>
`
}
