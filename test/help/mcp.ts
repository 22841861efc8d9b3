import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

export type McpAnswer = {
  status: number
  challenge: string | null
  /** Of JSON-RPC, or a problem. */
  body: { result?: Record<string, unknown>; error?: { code: number; message: string }; detail?: string; code?: string }
}

type Sending = { method?: string; params?: Record<string, unknown>; headers?: Record<string, string> }

/** One request of 2026-07-28, by hand: what a client library would never send can be sent too. */
export async function sendMcp(url: string, token: string | undefined, sending: Sending = {}): Promise<McpAnswer> {
  const { method = 'tools/list', params = {}, headers = {} } = sending
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(typeof params.name === 'string' && { 'mcp-name': params.name }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
  })
  const body = (await response.json()) as McpAnswer['body']
  return { status: response.status, challenge: response.headers.get('www-authenticate'), body }
}

export function callTool(url: string, token: string, name: string, args: object = {}): Promise<McpAnswer> {
  return sendMcp(url, token, { method: 'tools/call', params: { name, arguments: args } })
}

export async function toolNames(url: string, token: string): Promise<string[]> {
  const { body } = await sendMcp(url, token)
  return (body.result!.tools as { name: string }[]).map(({ name }) => name)
}

export type Revision = '2026-07-28' | '2025-11-25'

/** The official client, connected; it speaks the newest revision only when told to look for it. */
export async function connectClient(url: string, token: string, revision: Revision): Promise<Client> {
  const mode = revision === '2026-07-28' ? 'auto' : 'legacy'
  const client = new Client({ name: 'test', version: '0' }, { versionNegotiation: { mode } })
  const requestInit = { headers: { authorization: `Bearer ${token}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }))
  return client
}
