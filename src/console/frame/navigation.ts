import type { LucideIcon } from 'lucide-react'
import Activity from 'lucide-react/icons/activity'
import Bot from 'lucide-react/icons/bot'
import Building2 from 'lucide-react/icons/building-2'
import Database from 'lucide-react/icons/database'
import GitPullRequest from 'lucide-react/icons/git-pull-request'
import House from 'lucide-react/icons/house'
import Inbox from 'lucide-react/icons/inbox'
import KeyRound from 'lucide-react/icons/key-round'
import LayoutGrid from 'lucide-react/icons/layout-grid'
import LibraryBig from 'lucide-react/icons/library-big'
import SquareFunction from 'lucide-react/icons/square-function'
import UserRound from 'lucide-react/icons/user-round'
import { type Role, roleAtLeast } from '#contract/core/roles.ts'

export type Entry = {
  readonly label: string
  readonly to: string
  /** Goes to the page after `g`. */
  readonly key: string
  readonly icon: LucideIcon
  /** Roles below it do not see the entry; the page itself says who can grant it. */
  readonly role?: Role
}

type Section = { readonly label: string | null; readonly entries: readonly Entry[] }

export const NAVIGATION: readonly Section[] = [
  {
    label: null,
    entries: [
      { label: 'Home', to: '/', key: 'h', icon: House },
      { label: 'Inbox', to: '/inbox', key: 'i', icon: Inbox },
    ],
  },
  {
    label: 'MCP',
    entries: [
      { label: 'Data sources', to: '/mcp/sources', key: 's', icon: LibraryBig },
      { label: 'Activity', to: '/mcp/activity', key: 'v', icon: Activity },
      { label: 'Connected agents', to: '/mcp/agents', key: 'n', icon: Bot },
      { label: 'Functions', to: '/functions', key: 'f', icon: SquareFunction },
    ],
  },
  {
    label: 'Build',
    entries: [
      { label: 'Apps', to: '/apps', key: 'a', icon: LayoutGrid },
      { label: 'Changes', to: '/changes', key: 'c', icon: GitPullRequest, role: 'developer' },
      { label: 'Databases', to: '/databases', key: 'd', icon: Database, role: 'developer' },
    ],
  },
  {
    label: 'Settings',
    entries: [
      { label: 'Organization settings', to: '/settings/organization', key: 'o', icon: Building2, role: 'admin' },
      { label: 'Profile settings', to: '/settings/profile', key: 'p', icon: UserRound },
      { label: 'API tokens', to: '/settings/tokens', key: 't', icon: KeyRound },
    ],
  },
]

/** The pages that a role opens, in the order of the navigation. */
export function entriesFor(role: Role): readonly Entry[] {
  return NAVIGATION.flatMap(({ entries }) => entries).filter((entry) => isOpenTo(entry, role))
}

export function isOpenTo({ role: minimum }: Entry, role: Role): boolean {
  return minimum === undefined || roleAtLeast(role, minimum)
}
