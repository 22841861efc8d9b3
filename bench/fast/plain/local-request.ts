import type { RequestParts } from '#contract/core/client-send.ts'
import { withText } from '#contract/fast/whole-body.ts'

export function localRequest(url: string, { method, headers, body, signal }: RequestParts): Request {
  const request = new Request(url, { method, headers, body: body ?? null, signal: signal?.() ?? null })
  return body === undefined ? request : withText(request, body)
}
