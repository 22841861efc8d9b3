import type { PaletteItem } from './palette-item.ts'

const MAX_RECENT = 8

const keyOf = (identity: string) => `svc.recent ${identity}`

/** Reads what the person opened in this tab, the newest first. It ends with the tab. */
export function readRecent(identity: string): PaletteItem[] {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(keyOf(identity)) ?? '[]')
    return Array.isArray(stored) ? stored.filter(isItem).slice(0, MAX_RECENT) : []
  } catch {
    return []
  }
}

export function addRecent(identity: string, item: PaletteItem): void {
  const others = readRecent(identity).filter(({ to, title }) => to !== item.to || title !== item.title)
  try {
    sessionStorage.setItem(keyOf(identity), JSON.stringify([item, ...others].slice(0, MAX_RECENT)))
  } catch {
    // A browser without storage has no recent things.
  }
}

const TEXTS = ['kind', 'title', 'subtitle', 'to'] as const

function isItem(value: unknown): value is PaletteItem {
  if (typeof value !== 'object' || value === null) return false
  const fields = new Map<string, unknown>(Object.entries(value))
  return TEXTS.every((name) => typeof fields.get(name) === 'string')
}
