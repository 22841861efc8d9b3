import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

/** The tools of `/platform`, in their order. */
export const PLATFORM_TOOLS = ['data_sources_list', 'data_source_query', 'functions_list', 'function_call']

type McpAnswer = {
  status: number
  challenge: string | null
  /** A JSON-RPC message or a problem document. */
  body: { result?: Record<string, unknown>; error?: { code: number; message: string }; detail?: string; code?: string }
}

type Sending = { method?: string; params?: Record<string, unknown>; headers?: Record<string, string> }

/** Returns a raw request of the protocol 2026-07-28, so that tests can send what no client library would. */
export function mcpRequest(token: string | undefined, { method = 'tools/list', params = {}, headers = {} }: Sending) {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  return {
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
  }
}

export async function sendMcp(url: string, token: string | undefined, sending: Sending = {}): Promise<McpAnswer> {
  const response = await fetch(url, mcpRequest(token, sending))
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

/** Connects the official client. It uses the newest revision only if configured to. */
export async function connectClient(url: string, token: string, revision: Revision): Promise<Client> {
  const mode = revision === '2026-07-28' ? 'auto' : 'legacy'
  const client = new Client({ name: 'test', version: '0' }, { versionNegotiation: { mode } })
  const requestInit = { headers: { authorization: `Bearer ${token}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }))
  return client
}

type Named = { path: string; host?: string; method?: string; headers?: Record<string, string>; body?: string }

/** Sends a request over a plain socket, so that any Host header can be sent. */
export async function requestAs(url: string, { path, host, method = 'GET', headers = {}, body }: Named) {
  const { hostname, port } = new URL(url)
  const all = { ...headers, ...(host !== undefined && { host: host.replace('PORT', port) }) }
  const sent = request({ hostname, port, path, method, headers: all })
  sent.end(body)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const text = (await response.toArray()).map(String).join('')
  const challenge = response.headers['www-authenticate'] ?? null
  // Clients of 2025-11-25 get a stream of one event.
  const json = text.startsWith('event:') ? text.slice(text.indexOf('{')) : text
  return { status: response.statusCode, challenge, body: JSON.parse(json) as Record<string, unknown> }
}

/** Lists the tools with another Host or Origin. */
export function listAs(url: string, token: string | undefined, named: Omit<Named, 'path'> & { path?: string } = {}) {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...named.headers,
  }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
  return requestAs(url, { path: '/mcp/platform', ...named, method: 'POST', headers, body })
}
