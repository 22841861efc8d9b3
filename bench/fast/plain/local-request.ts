import type { RequestParts } from '#contract/core/client-send.ts'

export function localRequest(url: string, { method, headers, body, signal }: RequestParts): Request {
  return new Request(url, { method, headers, body: body ?? null, signal: signal?.() ?? null })
}

export function localBody(): undefined {
  return undefined
}
