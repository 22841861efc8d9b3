import { toThin } from '#contract/notifications/thin.ts'
import { html } from '#edge/pages/html.ts'
import type { DueNotification } from '../../deliver/due-notification.ts'
import { countedLines, personalLine } from '../../model/personal-line.ts'
import { mailButton, mailDocument, mailHeading, mailParagraph, type RenderedMail } from './layout.ts'
import { unsubscribeFooter } from './render.ts'

type FollowMail = {
  /** Never empty. */
  readonly notifications: readonly DueNotification[]
  readonly isDigest: boolean
  readonly baseUrl: string
  readonly unsubscribeLink: string | null
}

const MAX_LINES = 100

/** Renders the same as a direct message: the app, the category, the status code and one link. */
export function renderFollowMail({ notifications, isDigest, baseUrl, unsubscribeLink }: FollowMail): RenderedMail {
  const [first] = notifications
  const isList = isDigest || notifications.length > 1
  const lines = isList ? countedLines(notifications).slice(0, MAX_LINES) : []
  const subject = isList ? digestSubject(notifications) : personalLine(first!)
  const link = isList ? new URL('/inbox', baseUrl).href : toThin(first!, baseUrl).link
  const ending = unsubscribeLink === null ? '' : `\n-- \nStop following this app: ${unsubscribeLink}\n`
  return {
    subject,
    text: `${[subject, ...lines, link].join('\n\n')}\n${ending}`,
    html: mailDocument({
      title: subject,
      body: html`${mailHeading(subject)}${lines.map(mailParagraph)}${mailButton({ label: 'Open', link })}`,
      footer: unsubscribeLink === null ? null : unsubscribeFooter(unsubscribeLink, 'Stop following', 'this app.'),
    }),
  }
}

/** A digest by mail is about one app, because its link ends the follow of that app. */
function digestSubject(notifications: readonly DueNotification[]): string {
  const count = notifications.length === 1 ? '1 notification' : `${notifications.length} notifications`
  const { body } = notifications[0]!.event
  return 'app' in body ? `${body.app.name}: ${count}` : count
}
