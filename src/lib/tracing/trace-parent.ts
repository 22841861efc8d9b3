import { isSpanContextValid, type SpanContext } from '@opentelemetry/api'

/** W3C Trace Context, version 00: trace id, span id, flags. Later versions begin with the same fields. */
const HEADER = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(?:-|$)/

/** Returns undefined for a header that is absent or malformed. */
export function parseTraceParent(header: string | null | undefined): SpanContext | undefined {
  const [, traceId, spanId] = HEADER.exec(header ?? '') ?? []
  if (traceId === undefined || spanId === undefined) return undefined
  const context = { traceId, spanId, traceFlags: 0, isRemote: true }
  return isSpanContextValid(context) ? context : undefined
}

export function writeTraceParent(context: SpanContext | undefined): string | undefined {
  if (!context) return undefined
  const flags = context.traceFlags.toString(16).padStart(2, '0')
  return `00-${context.traceId}-${context.spanId}-${flags}`
}
