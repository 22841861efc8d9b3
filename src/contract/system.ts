import { z } from 'zod'
import { jsonGet, rawGet } from './core/methods.ts'
import { operation } from './core/operation.ts'

export const health = operation({
  ...jsonGet,
  access: 'public',
  name: 'system.health',
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
  ...rawGet,
  access: 'public',
  name: 'system.ready',
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
  ...rawGet,
  access: 'public',
  name: 'system.metrics',
  path: '/metrics',
  summary: 'Get Prometheus metrics (direct callers on a private network, or the operator token)',
  produces: ['text/plain'],
})

export const openapi = operation({
  ...rawGet,
  access: 'public',
  name: 'system.openapi',
  path: '/openapi.json',
  summary: 'Get the OpenAPI 3.1 document of this API',
  produces: ['application/json'],
})

export const docs = operation({
  ...rawGet,
  access: 'public',
  name: 'system.docs',
  path: '/docs',
  summary: 'Show the API reference',
  produces: ['text/html'],
})

export const docsOfArea = operation({
  ...rawGet,
  access: 'public',
  name: 'system.docs-of-area',
  path: '/docs/{area}',
  summary: 'Show the part of the API reference about one area',
  input: z.object({ area: z.string().max(100) }),
  produces: ['text/html'],
})
