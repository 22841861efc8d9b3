import { expect, it } from 'vitest'
import { ROLES } from '#contract/core/roles.ts'
import { SEARCH_KINDS } from '#contract/search.ts'
import { offersFor } from './actions.ts'
import { addressOf, toItem } from './address-of.ts'
import { chooseItems } from './choose.ts'

const hit = (kind: (typeof SEARCH_KINDS)[number], title = 'Shop') => ({
  kind,
  id: `${kind}_1`,
  title,
  subtitle: '',
  app: 'shop',
})

it('CO-08 each kind has the address of its page', () => {
  expect(SEARCH_KINDS.map((kind) => addressOf(hit(kind)))).toEqual([
    '/apps/shop',
    '/databases',
    '/mcp/sources/source_1',
    '/settings/organization/members',
    '/apps/shop/changes/change_1',
    '/apps/shop/tickets/ticket_1',
    '/apps/shop/deploys/deploy_1',
  ])
})

it('CO-08 actions are offered to the roles that may do them, and none in a read-only session', () => {
  const actionsOf = (role: (typeof ROLES)[number], isReadOnly = false) =>
    offersFor(role, isReadOnly).filter(({ kind }) => kind === 'Action').length
  expect(ROLES.map((role) => actionsOf(role))).toEqual([2, 2, 4, 7, 8])
  expect(actionsOf('owner', true)).toBe(0)
})

it('CO-08 an exact name is first, and what a former answer has and does not fit is left out', () => {
  const pages = [{ kind: 'Page', title: 'Apps', subtitle: '', to: '/apps' }]
  const things = [hit('app', 'Apps of others'), hit('ticket', 'The apps are slow'), hit('app', 'Door')].map(toItem)
  expect(chooseItems('apps', things, pages).map(({ title }) => title)).toEqual([
    'Apps',
    'Apps of others',
    'The apps are slow',
  ])
})
