import { randomInt } from 'node:crypto'
import { testClock } from '#lib/time/clock.ts'
import { type SystemOptions, startSystem } from '../system.ts'
import { startFakeKubernetes } from './fake-kubernetes.ts'

export const REFUSED = {
  status: 401,
  retryAfter: null,
  body: {
    type: 'urn:svc:problem:invalid-token',
    title: 'Not authenticated',
    status: 401,
    detail: 'Invalid or expired API token',
    code: 'INVALID_TOKEN',
  },
}

export const DOWN = {
  status: 503,
  retryAfter: '5',
  body: { code: 'UNAVAILABLE', detail: 'Workload tokens cannot be checked at the moment. Try again.' },
}

/** A system with a fake cluster, an organization and a deployment of it. */
export type Scene = Awaited<ReturnType<typeof startScene>>

export async function startScene(env: SystemOptions['env'] = {}) {
  const stack = new AsyncDisposableStack()
  // A minute of its own: tests on a real Redis share the windows in which failures are counted.
  const clock = testClock(new Date(Date.UTC(2026, 0, 1) + randomInt(500_000) * 60_000))
  const cluster = stack.use(await startFakeKubernetes(clock))
  const system = stack.use(await startSystem({ clock, env: { ...cluster.env, ...env } }))
  const { org_id } = await system.member()
  const account = cluster.serviceAccount('org-acme', 'worker-app1', annotations(org_id))
  const validate = async (token: string) => {
    const response = await fetch(`${system.url}/api/v1/tokens/validate`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token }),
    })
    const { request_id: _, ...body } = (await response.json()) as Record<string, unknown>
    return { status: response.status, retryAfter: response.headers.get('retry-after'), body }
  }
  const close = () => stack.disposeAsync()
  return { clock, cluster, system, org_id, account, validate, [Symbol.asyncDispose]: close }
}

export function annotations(org_id: string): Record<string, string> {
  return { 'svc/org-id': org_id, 'svc/deployment': 'dep_1' }
}
