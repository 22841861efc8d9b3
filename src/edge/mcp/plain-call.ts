import { isJsonContentType } from '@modelcontextprotocol/server'
import { isRecord } from '#lib/json.ts'

/** A message that is one tool call and nothing else, so that it can be answered without the library. */
export type PlainCall = {
  readonly id: string | number
  readonly name: string
  readonly args: Record<string, unknown>
  /**
   * The protocol's own fields of a call of 2026-07-28, as JSON. Only the library can say whether they are right.
   * Undefined for a call of an earlier revision, which has none.
   */
  readonly envelope: string | undefined
}

const NEWEST = '2026-07-28'
const EARLIER: readonly (string | null)[] = ['2025-11-25', '2025-06-18']
const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion'
const MESSAGE_KEYS = ['id', 'jsonrpc', 'method', 'params']
const PARAMS_KEYS = ['_meta', 'arguments', 'name']
const MAX_ENVELOPE_CHARACTERS = 2_000

/** Returns undefined for every message that is not certainly a well-formed tool call: the library answers those. */
export function readPlainCall(headers: Headers, message: unknown): PlainCall | undefined {
  if (!isRecord(message) || !hasOnly(message, MESSAGE_KEYS) || !acceptsBoth(headers)) return undefined
  const { jsonrpc, id, method, params } = message
  if (jsonrpc !== '2.0' || method !== 'tools/call' || !isId(id)) return undefined
  if (!isRecord(params) || !hasOnly(params, PARAMS_KEYS)) return undefined
  const { name, arguments: args = {}, _meta } = params
  if (typeof name !== 'string' || !isRecord(args)) return undefined
  if (_meta === undefined) return isEarlier(headers) ? { id, name, args, envelope: undefined } : undefined
  if (!isRecord(_meta) || !isNewest(headers, name) || _meta[VERSION_KEY] !== NEWEST) return undefined
  const envelope = JSON.stringify(_meta)
  return envelope.length <= MAX_ENVELOPE_CHARACTERS ? { id, name, args, envelope } : undefined
}

/** Returns the tool of a call whose arguments are no object, which the library refuses before any tool sees it. */
export function readMisshapenCall(message: unknown): string | undefined {
  if (!isRecord(message) || message.method !== 'tools/call' || !isRecord(message.params)) return undefined
  const { name, arguments: args = {} } = message.params
  return typeof name === 'string' && !isRecord(args) ? name : undefined
}

function acceptsBoth(headers: Headers): boolean {
  const accept = headers.get('accept') ?? ''
  const accepts = accept.includes('application/json') && accept.includes('text/event-stream')
  return accepts && isJsonContentType(headers.get('content-type'))
}

function isNewest(headers: Headers, name: string): boolean {
  return (
    headers.get('mcp-protocol-version') === NEWEST &&
    headers.get('mcp-method') === 'tools/call' &&
    headers.get('mcp-name') === name
  )
}

function isEarlier(headers: Headers): boolean {
  return EARLIER.includes(headers.get('mcp-protocol-version')) && !headers.has('mcp-method') && !headers.has('mcp-name')
}

function isId(id: unknown): id is string | number {
  return typeof id === 'string' || Number.isSafeInteger(id)
}

function hasOnly(value: Record<string, unknown>, keys: readonly string[]): boolean {
  return Object.keys(value).every((key) => keys.includes(key))
}
