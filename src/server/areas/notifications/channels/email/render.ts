import type { Notification } from '#contract/notifications/inbox.ts'
import { type Html, html } from '#edge/pages/html.ts'
import { mailDocument, mailHeading, mailParagraph, type RenderedMail } from './layout.ts'

type Shown = {
  /** Never empty. */
  readonly notifications: readonly Notification[]
  readonly isDigest: boolean
  /** Null where the mail belongs to no subscription. */
  readonly unsubscribeLink: string | null
}

const MAX_LINES = 100

/** Renders what happened and where to look, never the body of an event. A digest has one line per notification. */
export function renderMail({ notifications, isDigest, unsubscribeLink }: Shown): RenderedMail {
  const [first] = notifications
  const isList = isDigest || notifications.length > 1
  const subject = isList ? countText(notifications.length) : first!.subject
  const shown = notifications.slice(0, MAX_LINES)
  const more = notifications.length - shown.length
  return {
    subject,
    text: toText({ heading: isList ? subject : null, shown, more, unsubscribeLink }),
    html: toHtml({ title: subject, heading: isList ? subject : null, shown, more, unsubscribeLink }),
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
    ...shown.map(({ subject, app, link }) => [subject, ...(app === undefined ? [] : [`App: ${app}`]), link].join('\n')),
    ...(more === 0 ? [] : [`${more} more in your notifications.`]),
  ]
  const ending = unsubscribeLink === null ? '' : `\n-- \nUnsubscribe from these mails: ${unsubscribeLink}\n`
  return `${blocks.join('\n\n')}\n${ending}`
}

function toHtml({ title, heading, shown, more, unsubscribeLink }: Parts & { title: string }): string {
  return mailDocument({
    title,
    body: html`${heading !== null && mailHeading(heading)}${shown.map(item)}${
      more > 0 && mailParagraph(`${more} more in your notifications.`)
    }`,
    footer: unsubscribeLink === null ? null : footer(unsubscribeLink),
  })
}

function item({ subject, app, link }: Notification): Html {
  return html`<div style="margin:0 0 16px">
<a class="link" href="${link}" style="color:#0b57b7;font-weight:600;overflow-wrap:anywhere;word-break:break-word">${subject}</a>
${app !== undefined && html`<div class="soft" style="color:#59636e;font-size:14px;overflow-wrap:anywhere">${app}</div>\n`}</div>
`
}

function footer(link: string): Html {
  return html`<p class="soft" style="max-width:560px;margin:16px auto 0;padding:0 20px;color:#59636e;font-size:13px;box-sizing:border-box"><a class="soft" href="${link}" style="color:#59636e">Unsubscribe</a> from these mails.</p>
`
}
