import { subjectLine } from '#contract/core/subject-line.ts'
import { toThin } from '#contract/notifications/thin.ts'
import type { DueNotification } from '../../deliver/due-notification.ts'
import { countedLines, personalLine, shortened } from '../../model/personal-line.ts'

export type ChatMessage = {
  text: string
  blocks: [{ type: 'section'; text: { type: 'mrkdwn'; text: string; verbatim: true } }]
  unfurl_links: false
  unfurl_media: false
}

type ChannelContent = { notifications: readonly DueNotification[]; isDigest: boolean; baseUrl: string }

/** Renders one line and one link for a channel. A digest is one line too: how many notifications, about which apps. */
export function channelMessage({ notifications, isDigest, baseUrl }: ChannelContent): ChatMessage {
  const [first] = notifications
  if (isDigest || notifications.length > 1) {
    return toMessage(escaped(countLine(notifications)), new URL(digestPath(notifications), baseUrl).href)
  }
  const { subject, link } = toThin(first!, baseUrl)
  return toMessage(escaped(subjectLine(subject)), link)
}

/**
 * Renders the app, the category, the status code and one link for a person, nothing else of the event. A digest has a
 * line for each app, category and code, with how often it happened.
 */
export function personalMessage({ notifications, isDigest, baseUrl }: ChannelContent): ChatMessage {
  if (!isDigest && notifications.length === 1) {
    return toMessage(escaped(personalLine(notifications[0]!)), toThin(notifications[0]!, baseUrl).link)
  }
  const lines = countedLines(notifications).map(escaped)
  return toMessage(withinLimit(lines).join('\n'), new URL('/inbox', baseUrl).href, '\n')
}

/** `verbatim` keeps Slack from making further links and mentions out of names that people typed. */
function toMessage(line: string, link: string, separator = ' '): ChatMessage {
  const text = `${line}${separator}<${escaped(link)}|Open>`
  return {
    text,
    blocks: [{ type: 'section', text: { type: 'mrkdwn', text, verbatim: true } }],
    unfurl_links: false,
    unfurl_media: false,
  }
}

/** Escapes the three characters that Slack reads as markup. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

const MAX_APP_NAME = 80

/** Slack refuses a section of more than 3,000 characters. The link comes after the lines. */
const MAX_LINES_CHARACTERS = 2_400

function withinLimit(lines: readonly string[]): string[] {
  const shown: string[] = []
  let characters = 0
  for (const line of lines) {
    characters += line.length + 1
    if (characters > MAX_LINES_CHARACTERS) return [...shown, `… and ${lines.length - shown.length} more`]
    shown.push(line)
  }
  return shown
}

const MAX_NAMED_APPS = 3

function countLine(notifications: readonly DueNotification[]): string {
  const apps = [...new Set(notifications.flatMap(({ event }) => ('app' in event.body ? event.body.app.name : [])))]
  const named = apps.slice(0, MAX_NAMED_APPS).map((name) => shortened(name, MAX_APP_NAME))
  const more = apps.length - named.length
  const about = [...named, ...(more > 0 ? [`${more} more`] : [])].join(', ')
  const count = notifications.length === 1 ? '1 notification' : `${notifications.length} notifications`
  return about === '' ? count : `${count} about ${about}`
}

/** Page of the console that everybody in the channel may open, if they are members. */
function digestPath(notifications: readonly DueNotification[]): string {
  const aliases = new Set(notifications.map(({ event }) => ('app' in event.body ? event.body.app.alias : undefined)))
  const [alias] = aliases
  if (aliases.size !== 1) return '/apps'
  return alias === undefined ? '/' : `/apps/${alias}`
}
