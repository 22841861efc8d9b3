import { exchangeCode } from '#contract/auth/sign-in.ts'
import { createClient } from '#contract/core/client.ts'
import { ServiceError } from '#contract/core/errors.ts'
import type { RequestInfo } from '#edge/route/route.ts'
import type { HostedDeps } from './deps.ts'

const AUTH = 'http://auth-service'

/** Exchanges a code for a session token. Throws INVALID_TOKEN when the code is not good. */
export async function exchange({ auth }: HostedDeps, info: RequestInfo, code: string, state: string): Promise<string> {
  const client = createClient({ baseUrl: AUTH, fetch: (request) => auth(request, info) })
  return (await client.call(exchangeCode, { code, state })).token
}

/** Ends a session at the auth service. A session that has ended already is no error. */
export async function endSession({ auth, onRevoked }: HostedDeps, info: RequestInfo, token: string): Promise<void> {
  const response = await auth(post('/auth/logout', token), info)
  onRevoked()
  if (response.status >= 500) throw new ServiceError('UNAVAILABLE', 'The sign-in service does not answer. Try again.')
}

export async function switchSession(
  { auth, onRevoked }: HostedDeps,
  info: RequestInfo,
  token: string,
  body: string,
): Promise<Response> {
  const response = await auth(post('/auth/org', token, body), info)
  onRevoked()
  return response
}

function post(path: string, token: string, json?: string): Request {
  const headers = {
    authorization: `Bearer ${token}`,
    ...(json !== undefined && { 'content-type': 'application/json' }),
  }
  return new Request(`${AUTH}${path}`, { method: 'POST', headers, ...(json !== undefined && { body: json }) })
}
