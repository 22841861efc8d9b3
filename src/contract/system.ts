import { z } from 'zod'
import { NO_BODY } from './core/limits.ts'
import { operation } from './core/operation.ts'

const open = { access: 'public', effect: 'read', bodyLimit: NO_BODY, input: z.object({}) } as const

export const health = operation({
  ...open,
  kind: 'json',
  name: 'system.health',
  method: 'GET',
  path: '/healthz',
  summary: 'Check that the process is alive',
  output: z.object({ status: z.literal('ok'), services: z.array(z.string()), version: z.string() }),
})

export const Readiness = z.object({
  status: z.enum(['ready', 'not_ready']),
  dependencies: z.record(
    z.string(),
    z.object({ status: z.enum(['ok', 'degraded', 'failing']), duration_ms: z.number(), detail: z.string().optional() }),
  ),
})
export type Readiness = z.infer<typeof Readiness>

/** Raw, because the body is the same document with 503 as with 200. */
export const ready = operation({
  ...open,
  kind: 'raw',
  name: 'system.ready',
  method: 'GET',
  path: '/readyz',
  summary: 'Check that the process is ready, with the state of each dependency. 503 if one fails',
  input: z.object({
    draining: z
      .literal('404')
      .optional()
      .describe(
        'answer 404 while the process only finishes its work, for proxies that cut requests of failing servers',
      ),
  }),
  produces: ['application/json'],
})

export const metrics = operation({
  ...open,
  kind: 'raw',
  name: 'system.metrics',
  method: 'GET',
  path: '/metrics',
  summary: 'Get Prometheus metrics (direct callers on a private network, or the operator token)',
  produces: ['text/plain'],
})

export const openapi = operation({
  ...open,
  kind: 'raw',
  name: 'system.openapi',
  method: 'GET',
  path: '/openapi.json',
  summary: 'Get the OpenAPI 3.1 document of this API',
  produces: ['application/json'],
})

export const docs = operation({
  ...open,
  kind: 'raw',
  name: 'system.docs',
  method: 'GET',
  path: '/docs',
  summary: 'Show the API reference',
  produces: ['text/html'],
})
