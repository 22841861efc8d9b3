import type { SearchHit } from '#contract/search.ts'
import type { PaletteItem } from './palette-item.ts'

const KIND_WORDS: Record<SearchHit['kind'], string> = {
  app: 'App',
  source: 'Data source',
  database: 'Database',
  person: 'Person',
  change: 'Change',
  ticket: 'Ticket',
  deploy: 'Deploy',
}

/** Returns the address of the page that shows what was found. */
export function addressOf({ kind, id, app }: SearchHit): string {
  switch (kind) {
    case 'app':
      return `/apps/${app}`
    case 'source':
      return `/mcp/sources/${encodeURIComponent(id)}`
    case 'database':
      return '/databases'
    case 'person':
      return '/settings/organization/members'
    case 'change':
      return `/apps/${app}/changes/${id}`
    case 'ticket':
      return `/apps/${app}/tickets/${id}`
    case 'deploy':
      return `/apps/${app}/deploys/${id}`
  }
  return kind satisfies never
}

export function toItem(hit: SearchHit): PaletteItem {
  const { kind, id, title, subtitle } = hit
  return { kind: KIND_WORDS[kind], title, subtitle, to: addressOf(hit), ids: [id, ...subtitle.split(' · ')] }
}
