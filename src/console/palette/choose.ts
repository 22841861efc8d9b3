import { NO_MATCH, rankText } from '#contract/core/text-rank.ts'
import type { PaletteItem } from './palette-item.ts'

const MAX_ITEMS = 20

/**
 * Returns the lines for a text, the best first. At the same rank things are before pages and actions. What does not
 * contain the text is left out, so that the answer to a former text shows nothing that does not fit any more.
 */
export function chooseItems(text: string, things: readonly PaletteItem[], own: readonly PaletteItem[]): PaletteItem[] {
  return [...things, ...own]
    .map((item) => ({ item, rank: rankText([item.title, ...(item.ids ?? [])], text) }))
    .filter(({ rank }) => rank < NO_MATCH)
    .toSorted((a, b) => a.rank - b.rank)
    .slice(0, MAX_ITEMS)
    .map(({ item }) => item)
}
