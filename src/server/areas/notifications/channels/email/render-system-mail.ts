import { subjectLine } from '#contract/core/subject-line.ts'
import { html } from '#edge/pages/html.ts'
import type { MailContent } from '../../model/mail-content.ts'
import { mailButton, mailDocument, mailHeading, mailNote, mailParagraph, type RenderedMail } from './layout.ts'

/** Renders a mail that belongs to no event: what it is about, at most one button, and how to refuse. */
export function renderSystemMail({ subject, paragraphs, action, refusal }: Omit<MailContent, 'to'>): RenderedMail {
  const title = subjectLine(subject)
  const link = action === null ? [] : [`${action.label}: ${action.link}`]
  const refusing = refusal ? [`${refusal.text} ${refusal.link}`] : []
  return {
    subject: title,
    text: `${[title, ...paragraphs, ...link, ...refusing].join('\n\n')}\n`,
    html: mailDocument({
      title,
      body: html`${mailHeading(title)}${paragraphs.map(mailParagraph)}${action !== null && mailButton(action)}${refusal && mailNote(refusal)}`,
    }),
  }
}
