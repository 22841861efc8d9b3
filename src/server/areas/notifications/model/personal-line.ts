import { CATEGORY_LABELS } from '#contract/core/event-definition.ts'
import { EVENTS, type EventOf } from '#contract/core/events.ts'

const MAX_APP_NAME = 80

/** The app, the category and the status code of an event: all that a message about a follow says of it. */
export function personalLine({ event: { type, body } }: { readonly event: EventOf }): string {
  const { category } = EVENTS[type]
  const app = 'app' in body ? shortened(body.app.name, MAX_APP_NAME) : undefined
  const parts = [app, category === null ? undefined : CATEGORY_LABELS[category], body.status]
  return parts.filter((part) => part !== undefined).join(' · ')
}

/** Counts equal lines of a digest, in the order in which they first come. */
export function countedLines(notifications: readonly { readonly event: EventOf }[]): string[] {
  const byLine = Map.groupBy(notifications, personalLine)
  return [...byLine].map(([line, same]) => `${line} × ${same.length}`)
}

export function shortened(text: string, max: number): string {
  const characters = Array.from(text)
  return characters.length <= max ? text : `${characters.slice(0, max - 1).join('')}…`
}
