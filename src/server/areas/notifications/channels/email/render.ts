import type { Notification } from '#contract/notifications/inbox.ts'
import { type Html, html, render, unescaped } from '#edge/pages/html.ts'

export type RenderedMail = { readonly subject: string; readonly text: string; readonly html: string }

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

/**
 * Mail programs drop parts of a style sheet, so what matters is inline and the sheet only adds the dark colours. Widths
 * are limits and never fixed, so that nothing scrolls sideways on a phone.
 */
function toHtml({ title, heading, shown, more, unsubscribeLink }: Parts & { title: string }): string {
  return render(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${title}</title>
<style>${unescaped(DARK_STYLE)}</style>
</head>
<body class="paper" style="margin:0;padding:16px;background:#f4f5f7;color:#1c2128;font:16px/1.5 system-ui,-apple-system,'Segoe UI',Arial,sans-serif;-webkit-text-size-adjust:100%">
<div class="card" style="max-width:560px;margin:0 auto;padding:24px 20px;background:#ffffff;border:1px solid #d0d5db;border-radius:12px;box-sizing:border-box">
${heading !== null && html`<h1 style="margin:0 0 16px;font-size:20px;line-height:1.25">${heading}</h1>\n`}${shown.map(item)}${
  more > 0 && html`<p style="margin:0 0 16px">${more} more in your notifications.</p>\n`
}</div>
${unsubscribeLink !== null && footer(unsubscribeLink)}</body>
</html>
`)
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

const DARK_STYLE = `:root { color-scheme: light dark; supported-color-schemes: light dark; }
@media (prefers-color-scheme: dark) {
  .paper { background: #0f1215 !important; color: #dfe3e8 !important; }
  .card { background: #181c21 !important; border-color: #363e47 !important; }
  .soft { color: #9aa4b0 !important; }
  .link { color: #7db7ff !important; }
}`
