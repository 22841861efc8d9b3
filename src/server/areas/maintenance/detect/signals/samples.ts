import { type CitedLine, cite, type SignalEntry } from './evidence.ts'

const MAX_TEMPLATES = 100

/** Returns the newest lines of each template of errors, so that a finding can cite them. */
export function sampleErrors(entries: readonly SignalEntry[]) {
  const byTemplate = new Map<string, SignalEntry[]>()
  for (const entry of entries) {
    if (entry.level !== 'error') continue
    const found = byTemplate.get(entry.template)
    if (found) byTemplate.set(entry.template, [...found.slice(-2), entry])
    else if (byTemplate.size < MAX_TEMPLATES) byTemplate.set(entry.template, [entry])
  }
  return [...byTemplate].map(([template, found]): { template: string; lines: CitedLine[] } => ({
    template,
    lines: cite(found),
  }))
}
