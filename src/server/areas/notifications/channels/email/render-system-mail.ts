import { subjectLine } from '#contract/core/subject-line.ts'
import { type Html, html } from '#edge/pages/html.ts'
import type { MailContent } from '../../system-mail/content.ts'
import { mailDocument, mailHeading, mailParagraph, type RenderedMail } from './layout.ts'

/** Renders a mail that belongs to no event: what it is about, and at most one button. */
export function renderSystemMail({ subject, paragraphs, action }: Omit<MailContent, 'to'>): RenderedMail {
  const title = subjectLine(subject)
  const link = action === null ? [] : [`${action.label}: ${action.link}`]
  return {
    subject: title,
    text: `${[title, ...paragraphs, ...link].join('\n\n')}\n`,
    html: mailDocument({
      title,
      body: html`${mailHeading(title)}${paragraphs.map(mailParagraph)}${action !== null && button(action)}`,
    }),
  }
}

/** The address is shown as well, because some mail programs remove links or rewrite them. */
function button({ label, link }: NonNullable<MailContent['action']>): Html {
  return html`<p style="margin:0 0 16px"><a class="button" href="${link}" style="display:inline-block;padding:10px 18px;background:#0b57b7;color:#ffffff;border-radius:8px;font-weight:600;text-decoration:none">${label}</a></p>
<p class="soft" style="margin:0;color:#59636e;font-size:13px;overflow-wrap:anywhere;word-break:break-word">${link}</p>
`
}
