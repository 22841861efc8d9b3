import type { Role } from '#contract/core/roles.ts'

type Entry = {
  readonly label: string
  readonly to: string
  /** Roles below it do not see the entry; the page itself says who can grant it. */
  readonly role?: Role
}

type Section = { readonly label: string | null; readonly entries: readonly Entry[] }

export const NAVIGATION: readonly Section[] = [
  {
    label: null,
    entries: [
      { label: 'Home', to: '/' },
      { label: 'Inbox', to: '/inbox' },
    ],
  },
  {
    label: 'MCP',
    entries: [
      { label: 'Data sources', to: '/mcp/sources' },
      { label: 'Activity', to: '/mcp/activity' },
      { label: 'Connected agents', to: '/mcp/agents' },
      { label: 'Functions', to: '/functions' },
    ],
  },
  {
    label: 'Build',
    entries: [
      { label: 'Apps', to: '/apps' },
      { label: 'Changes', to: '/changes', role: 'developer' },
      { label: 'Databases', to: '/databases', role: 'developer' },
    ],
  },
  {
    label: 'Settings',
    entries: [
      { label: 'Organization settings', to: '/settings/organization', role: 'admin' },
      { label: 'Profile settings', to: '/settings/profile' },
      { label: 'API tokens', to: '/settings/tokens' },
    ],
  },
]
