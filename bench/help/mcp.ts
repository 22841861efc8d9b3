import { randomUUID } from 'node:crypto'
import { SignJWT } from 'jose'
import pg from 'pg'
import { accessTokenKey } from '#edge/credentials/access-token.ts'
import { keyEpoch, masterKey } from '#lib/crypto/keys.ts'
import { type LoadTarget, request } from './load.ts'
import type { Secrets } from './ours.ts'
import { type Source, TOP_K } from './source.ts'

type Revision = '2026-07-28' | '2025-11-25'

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** Sends the questions of `oursAsked` as MCP tool calls. */
export function mcpAsked(
  base: string,
  { id, token }: Pick<Source, 'id' | 'token'>,
  questions: number,
  revision: Revision,
): LoadTarget {
  const all = Array.from({ length: questions }, (_, i) => ({ id, query: `question ${i}`, top_k: TOP_K }))
  return callsOf(`${base}/mcp/platform`, { authorization: `Bearer ${token}` }, revision, 'data_source_query', all)
}

export function callsOf(
  url: string,
  own: Record<string, string>,
  revision: Revision,
  name: string,
  calls: readonly object[],
): LoadTarget {
  const newest = revision === '2026-07-28'
  const headers = {
    ...own,
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': revision,
    ...(newest && { 'mcp-method': 'tools/call', 'mcp-name': name }),
  }
  const all = calls.map((call) => {
    const params = { name, arguments: call, ...(newest && { _meta: META }) }
    return request(url, headers, JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }))
  })
  let asked = 0
  return { url, next: () => all[asked++ % all.length]! }
}

/** Returns the access token of an agent that acts for the source's viewer, with a grant inserted directly. */
export async function agentToken(
  base: string,
  databaseUrl: string,
  secrets: Pick<Secrets, 'SVC_JWT_SECRET' | 'SVC_JWT_SIGNING_KEY'>,
): Promise<string> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const grantId = `grant_${randomUUID()}`
  const epoch = keyEpoch(masterKey(secrets.SVC_JWT_SECRET, secrets.SVC_JWT_SIGNING_KEY))
  const resource = `${base}/mcp/platform`
  await client.query(
    `insert into platform_oauth_clients (client_id, redirect_uris) values ('bench', '{http://localhost/}')
     on conflict do nothing`,
  )
  const { rows } = await client.query<{ user_id: string }>(
    `insert into platform_access_grants
       (id, org_id, user_id, client_id, client_name, redirect_host, resource, scopes, epoch, created_at, expires_at)
     select $1, org_id, user_id, 'bench', 'Bench', 'localhost', $2, '{datasources:read,datasources:query}', $3,
            now(), now() + interval '1 day'
     from auth.memberships where role = 'viewer' limit 1
     returning user_id`,
    [grantId, resource, epoch],
  )
  await client.end()
  return new SignJWT({ gid: grantId, client_id: 'bench', scope: 'datasources:read datasources:query' })
    .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt' })
    .setIssuer(base)
    .setSubject(rows[0]!.user_id)
    .setAudience(resource)
    .setExpirationTime('1 day')
    .sign(accessTokenKey(secrets.SVC_JWT_SECRET))
}
