import { type Role, roleAtLeast } from '#contract/core/roles.ts'
import type { PaletteItem } from './palette-item.ts'

type Offered = { readonly role: Role; readonly item: PaletteItem }

const SETTINGS = '/settings/organization'
const page = (title: string, to: string, subtitle: string) => ({ kind: 'Page', title, to, subtitle })
const action = (act: string, to: string) => ({ kind: 'Action', title: act, subtitle: '', to, act })

/** Pages that are tabs of others. The navigation has the rest. */
const TABS: readonly Offered[] = [
  { role: 'admin', item: page('Members', `${SETTINGS}/members`, 'Organization settings') },
  { role: 'viewer', item: page('Email domains', `${SETTINGS}/domains`, 'Organization settings') },
  { role: 'admin', item: page('Integrations', `${SETTINGS}/integrations`, 'Organization settings') },
  { role: 'admin', item: page('Deliveries', `${SETTINGS}/deliveries`, 'Organization settings') },
  { role: 'viewer', item: page('Maintenance', `${SETTINGS}/maintenance`, 'Organization settings') },
  { role: 'admin', item: page('Audit log', `${SETTINGS}/audit`, 'Organization settings') },
  { role: 'viewer', item: page('Notifications', '/settings/profile/notifications', 'Profile settings') },
  { role: 'viewer', item: page('Sessions', '/settings/profile/sessions', 'Profile settings') },
]

/** Acts whose button is on a page. Its label is the title. */
const ACTIONS: readonly Offered[] = [
  { role: 'developer', item: action('Create app', '/apps') },
  { role: 'developer', item: action('Create database', '/databases') },
  { role: 'admin', item: action('Enable database as source', '/mcp/sources') },
  { role: 'viewer', item: action('Create API token', '/settings/tokens') },
  { role: 'owner', item: action('Invite person', `${SETTINGS}/members`) },
  { role: 'admin', item: action('Add channel', `${SETTINGS}/integrations`) },
  { role: 'admin', item: action('Add subscription', `${SETTINGS}/integrations`) },
  { role: 'viewer', item: action('Follow app', '/settings/profile/notifications') },
]

/** A read-only session gets no actions, as its pages have no buttons. */
export function offersFor(role: Role, isReadOnly: boolean): PaletteItem[] {
  return [...TABS, ...(isReadOnly ? [] : ACTIONS)]
    .filter(({ role: minimum }) => roleAtLeast(role, minimum))
    .map(({ item }) => item)
}
