import { refreshAuthorization } from '@modelcontextprotocol/client'
import { expect, it } from 'vitest'
import type { Readiness } from '#contract/system.ts'
import { freePort } from '#test/free-port.ts'
import { startSystem } from '#test/system.ts'

it('OP-02 a process is ready while a service it calls is away, so that services that call each other can all start', async () => {
  const env = {
    AUTH_SERVICE_URL: `http://127.0.0.1:${await freePort()}`,
    SVC_REDIRECT_BASE_URL: 'https://svc.example.com',
  }
  await using system = await startSystem({ env })
  const response = await fetch(`${system.url}/readyz`)
  const { status, dependencies } = (await response.json()) as Readiness
  expect([response.status, status]).toEqual([200, 'ready'])
  expect(dependencies['auth-service']).toMatchObject({ status: 'degraded', detail: 'failed; see the log' })
})

it('AU-13 an agent that refreshes its token while the auth service is away learns to try again, and keeps its login', async () => {
  const env = {
    AUTH_SERVICE_URL: `http://127.0.0.1:${await freePort()}`,
    SVC_REDIRECT_BASE_URL: 'https://svc.example.com',
  }
  await using system = await startSystem({ env })
  const body = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: 'a', client_id: 'b' })
  const response = await fetch(`${system.url}/oauth/token`, { method: 'POST', body })
  expect([response.status, response.headers.get('content-type')]).toEqual([503, 'application/json'])
  expect(await response.json()).toMatchObject({ error: 'temporarily_unavailable', code: 'UNAVAILABLE' })
  // The official client opens the sign-in page for `server_error` and for what it cannot read.
  const refresh = { clientInformation: { client_id: 'b' }, refreshToken: 'a', fetchFn: fetchAsGlobal }
  const metadata = {
    issuer: system.url,
    authorization_endpoint: `${system.url}/oauth/authorize`,
    token_endpoint: `${system.url}/oauth/token`,
    response_types_supported: ['code'],
  }
  await expect(refreshAuthorization(system.url, { ...refresh, metadata })).rejects.toMatchObject({
    code: 'temporarily_unavailable',
  })
})

/** The server in this process replaces the global class Response, which the client recognizes answers by. */
async function fetchAsGlobal(url: string | URL, init?: RequestInit): Promise<Response> {
  const answer = await fetch(url, init)
  return new Response(await answer.text(), { status: answer.status, headers: answer.headers })
}
