import { z } from 'zod'
import { rawGet } from './core/methods.ts'
import { operation } from './core/operation.ts'

const APP_TABS = ['deploys', 'logs', 'checks', 'tickets', 'pipelines', 'maintenance', 'people', 'settings']
const APP_THINGS = ['deploys', 'revisions', 'checks', 'tickets', 'pipelines', 'maintenance', 'changes']
const ORGANIZATION_TABS = ['members', 'domains', 'integrations', 'deliveries', 'maintenance', 'audit']

/** Addresses of the console's pages. They are stable, because notifications link to them. */
export const CONSOLE_ADDRESSES: readonly string[] = [
  '/',
  '/mcp/sources',
  '/mcp/sources/{id}',
  '/mcp/sources/{id}/{tab}',
  '/mcp/activity',
  '/mcp/agents',
  '/databases',
  '/databases/{name}',
  '/databases/{name}/prepare/{table}',
  '/apps',
  '/apps/{alias}',
  ...APP_TABS.map((tab) => `/apps/{alias}/${tab}`),
  ...APP_THINGS.map((things) => `/apps/{alias}/${things}/{id}`),
  '/apps/{alias}/changes',
  '/changes',
  '/functions',
  '/inbox',
  '/settings/organization',
  ...ORGANIZATION_TABS.map((tab) => `/settings/organization/${tab}`),
  '/settings/profile',
  '/settings/profile/notifications',
  '/settings/profile/sessions',
  '/settings/tokens',
  '/signed-in',
  '/setup/identity-provider',
]

export const consolePage = operation({
  ...rawGet,
  name: 'console.page',
  path: '/',
  summary: 'Open the console',
  description: 'Browsers also get it at the addresses of its pages, and with the status 404 at unknown addresses.',
  access: 'public',
  produces: ['text/html'],
})

export const consoleAsset = operation({
  ...rawGet,
  name: 'console.asset',
  path: '/assets/{file}',
  summary: 'Get a script, style, font or image of the console',
  access: 'public',
  input: z.object({ file: z.string().max(200) }),
  produces: ['text/javascript', 'text/css', 'image/svg+xml', 'font/woff2'],
})
