import { revokeAgent } from '#contract/auth/agents.ts'
import { createToken, revokeToken } from '#contract/auth/tokens.ts'
import { createClient } from '#contract/core/client.ts'
import { APP, SESSION } from '../sign-in.ts'
import { askHttp } from './askers.ts'
import type { Connector, Person } from './connector.ts'
import { callTool } from './mcp.ts'

type Outcome = 'answered' | 'refused'

/** One way to ask, which can be taken away. Both calls go to the process at the given address. */
export type Revocable = {
  readonly kind: 'agent' | 'api_token' | 'session'
  ask(url: string): Promise<Outcome>
  /** Resolves when the revocation was acknowledged. */
  revoke(url: string): Promise<void>
}

const SOURCE = 'db_docs'
const QUESTION = { query: 'cars', top_k: 1 }

/** Connects an agent of a new member, because a second one of the same person would replace it. The owner revokes it. */
export async function revocableAgent(connector: Connector, owner: Person): Promise<Revocable> {
  const { access_token } = await connector.connect(
    await connector.person('viewer', owner.org_id),
    await connector.client(),
  )
  const id = grantOf(access_token)
  return {
    kind: 'agent',
    ask: async (url) => {
      const { status, body } = await callTool(`${url}/mcp/platform`, access_token, 'data_source_query', {
        id: SOURCE,
        ...QUESTION,
      })
      // A call under way at the revocation is refused by the service behind the MCP server, as an error of the tool.
      return body.result?.isError === true ? 'refused' : outcomeOf(status, body)
    },
    revoke: async (url) => {
      await clientAt(url, owner.token).call(revokeAgent, { org_id: owner.org_id, id })
    },
  }
}

/** Makes an API token of the owner, who revokes it. */
export async function revocableToken({ system }: Connector, owner: Person): Promise<Revocable> {
  const { id, token } = await clientAt(system.url, owner.token).call(createToken, { name: 'short-lived' })
  system.secrets.push(token)
  return {
    kind: 'api_token',
    ask: async (url) => outcomeOfResponse(await askHttp(url, token, QUESTION, SOURCE)),
    revoke: async (url) => {
      await clientAt(url, owner.token).call(revokeToken, { id })
    },
  }
}

/** Signs a new member in, who signs out. */
export async function revocableSession(connector: Connector, orgId: string): Promise<Revocable> {
  const { browser } = await connector.person('viewer', orgId)
  const headers = { cookie: `${SESSION}=${browser.cookie(APP, SESSION)}`, 'sec-fetch-site': 'same-origin', origin: APP }
  const json = { ...headers, 'content-type': 'application/json', accept: 'application/json' }
  const send = (url: string, path: string, init: RequestInit) => fetch(`${url}${path}`, { method: 'POST', ...init })
  return {
    kind: 'session',
    ask: async (url) =>
      outcomeOfResponse(
        await send(url, `/api/wf/slim/data-sources/${SOURCE}/query`, { headers: json, body: JSON.stringify(QUESTION) }),
      ),
    revoke: async (url) => {
      const response = await send(url, '/auth/logout', { headers, redirect: 'manual' })
      if (response.status >= 400) throw new Error(`the session is not ended: ${response.status}`)
      await response.body?.cancel()
    },
  }
}

/** The id of the approval, which is in every access token made from it. */
function grantOf(accessToken: string): string {
  const claims = JSON.parse(Buffer.from(accessToken.split('.')[1]!, 'base64url').toString()) as { gid: string }
  return claims.gid
}

function clientAt(url: string, token: string) {
  return createClient({ baseUrl: url, fetch, headers: () => ({ authorization: `Bearer ${token}` }) })
}

async function outcomeOfResponse(response: Response): Promise<Outcome> {
  return outcomeOf(response.status, await response.json())
}

/** A refused token is answered with 429 where its address has sent many. Anything else is a fault of the proof. */
function outcomeOf(status: number, body: unknown): Outcome {
  if (status === 200) return 'answered'
  if (status === 401 || status === 429) return 'refused'
  throw new Error(`asked, and got ${status}: ${JSON.stringify(body)}`)
}
