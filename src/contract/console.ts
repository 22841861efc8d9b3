import { z } from 'zod'
import { NO_BODY } from './core/limits.ts'
import { operation } from './core/operation.ts'

export const consolePage = operation({
  kind: 'raw',
  name: 'console.page',
  method: 'GET',
  path: '/',
  summary: 'Open the console',
  access: 'public',
  effect: 'read',
  bodyLimit: NO_BODY,
  input: z.object({}),
  produces: ['text/html'],
})

export const consoleAsset = operation({
  kind: 'raw',
  name: 'console.asset',
  method: 'GET',
  path: '/assets/{file}',
  summary: 'Get a script, style or image of the console',
  access: 'public',
  effect: 'read',
  bodyLimit: NO_BODY,
  input: z.object({ file: z.string().max(200) }),
  produces: ['text/javascript', 'text/css', 'image/svg+xml'],
})
