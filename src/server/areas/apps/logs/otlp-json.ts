/** A log record of OpenTelemetry, whichever encoding it came in. */
export type OtlpRecord = {
  /** Nanoseconds since 1970, or 0 if the sender does not know. */
  readonly timeUnixNano: bigint
  readonly observedTimeUnixNano: bigint
  readonly severityNumber: number
  readonly severityText: string
  readonly body: unknown
  readonly attributes: Readonly<Record<string, unknown>>
}

/** Returns the records of an ExportLogsServiceRequest in its JSON encoding, as they were sent. */
export function findOtlpRecords(json: unknown): unknown[] {
  return listAt(json, 'resourceLogs')
    .flatMap((resource) => listAt(resource, 'scopeLogs'))
    .flatMap((scope) => listAt(scope, 'logRecords'))
}

/** Reads one record. Unknown fields are ignored, as the protocol demands. */
export function readOtlpRecord(record: unknown): OtlpRecord {
  return {
    timeUnixNano: nanoseconds(fieldOf(record, 'timeUnixNano')),
    observedTimeUnixNano: nanoseconds(fieldOf(record, 'observedTimeUnixNano')),
    severityNumber: Number(fieldOf(record, 'severityNumber') ?? 0) || 0,
    severityText: textAt(record, 'severityText'),
    body: anyValue(fieldOf(record, 'body')),
    attributes: keyValues(fieldOf(record, 'attributes')),
  }
}

/** An AnyValue names its type: `{stringValue: …}`, `{arrayValue: {values: […]}}`. */
function anyValue(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  const [type, content] = Object.entries(value)[0] ?? []
  if (type === 'arrayValue') return listAt(content, 'values').map(anyValue)
  if (type === 'kvlistValue') return keyValues(fieldOf(content, 'values'))
  return content
}

function keyValues(list: unknown): Record<string, unknown> {
  if (!Array.isArray(list)) return {}
  return Object.fromEntries(list.map((pair) => [textAt(pair, 'key'), anyValue(fieldOf(pair, 'value'))]))
}

function nanoseconds(value: unknown): bigint {
  return (typeof value === 'string' || typeof value === 'number') && /^\d{1,20}$/.test(String(value))
    ? BigInt(value)
    : 0n
}

function textAt(value: unknown, key: string): string {
  const text = fieldOf(value, key)
  return typeof text === 'string' ? text : ''
}

function fieldOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined
}

function listAt(value: unknown, key: string): unknown[] {
  const list = fieldOf(value, key)
  return Array.isArray(list) ? list : []
}
