import type { OtlpRecord } from './otlp-json.ts'

/** The bytes are not a protobuf message of this shape. */
export class ProtobufFault extends Error {
  override readonly name = 'ProtobufFault'
}

type Field = { readonly number: number; readonly value: bigint | Uint8Array }

const MAX_DEPTH = 16

/**
 * Reads an ExportLogsServiceRequest in its binary encoding. Only the fields that a log line is made of are looked at.
 * Field numbers are those of opentelemetry/proto/logs/v1 and common/v1.
 */
export function readOtlpProtobuf(bytes: Uint8Array): OtlpRecord[] {
  const records: OtlpRecord[] = []
  for (const resourceLogs of messagesOf(bytes, 1)) {
    for (const scopeLogs of messagesOf(resourceLogs, 2)) {
      for (const record of messagesOf(scopeLogs, 2)) records.push(readRecord(record))
    }
  }
  return records
}

function readRecord(bytes: Uint8Array): OtlpRecord {
  const fields = fieldsOf(bytes)
  return {
    timeUnixNano: numberAt(fields, 1),
    observedTimeUnixNano: numberAt(fields, 11),
    severityNumber: Number(numberAt(fields, 2)),
    severityText: textAt(fields, 3),
    body: anyValue(bytesAt(fields, 5), 0),
    attributes: keyValues(fields, 6, 0),
  }
}

/** AnyValue: 1 string, 2 bool, 3 int, 4 double, 5 array, 6 list of key and value, 7 bytes. */
function anyValue(bytes: Uint8Array | undefined, depth: number): unknown {
  if (bytes === undefined) return undefined
  if (depth > MAX_DEPTH) throw new ProtobufFault('values are nested too deeply')
  const [field] = fieldsOf(bytes)
  if (!field) return undefined
  const { number, value } = field
  if (typeof value === 'bigint') return scalar(number, value)
  if (number === 1) return Buffer.from(value).toString('utf8')
  if (number === 5) return messagesOf(value, 1).map((item) => anyValue(item, depth + 1))
  if (number === 6) return keyValues(fieldsOf(value), 1, depth + 1)
  return Buffer.from(value).toString('base64')
}

function scalar(number: number, value: bigint): unknown {
  if (number === 2) return value !== 0n
  if (number === 4) return new Float64Array(new BigUint64Array([value]).buffer)[0]
  return String(BigInt.asIntN(64, value))
}

function keyValues(fields: readonly Field[], number: number, depth: number): Record<string, unknown> {
  const pairs = fields.filter((field) => field.number === number && typeof field.value !== 'bigint')
  return Object.fromEntries(
    pairs.map(({ value }) => {
      const pair = fieldsOf(value as Uint8Array)
      return [textAt(pair, 1), anyValue(bytesAt(pair, 2), depth + 1)]
    }),
  )
}

function messagesOf(bytes: Uint8Array, number: number): Uint8Array[] {
  return fieldsOf(bytes).flatMap((field) =>
    field.number === number && typeof field.value !== 'bigint' ? [field.value] : [],
  )
}

function numberAt(fields: readonly Field[], number: number): bigint {
  const value = fields.findLast((field) => field.number === number)?.value
  return typeof value === 'bigint' ? value : 0n
}

function bytesAt(fields: readonly Field[], number: number): Uint8Array | undefined {
  const value = fields.findLast((field) => field.number === number)?.value
  return typeof value === 'bigint' ? undefined : value
}

function textAt(fields: readonly Field[], number: number): string {
  return Buffer.from(bytesAt(fields, number) ?? []).toString('utf8')
}

/** Splits a message into its fields: wire type 0 varint, 1 eight bytes, 2 length and bytes, 5 four bytes. */
function fieldsOf(bytes: Uint8Array): Field[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const fields: Field[] = []
  let at = 0
  const varint = (): bigint => {
    let value = 0n
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[at++]
      if (byte === undefined) throw new ProtobufFault('the message ends too early')
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return BigInt.asUintN(64, value)
    }
    throw new ProtobufFault('a number is too long')
  }
  const skip = (size: number): number => {
    const from = at
    at += size
    if (at > bytes.length) throw new ProtobufFault('the message ends too early')
    return from
  }
  while (at < bytes.length) {
    const key = varint()
    const number = Number(key >> 3n)
    switch (Number(key & 7n)) {
      case 0:
        fields.push({ number, value: varint() })
        break
      case 1:
        fields.push({ number, value: view.getBigUint64(skip(8), true) })
        break
      case 2: {
        const size = Number(varint())
        const from = skip(size)
        fields.push({ number, value: bytes.subarray(from, from + size) })
        break
      }
      case 5:
        fields.push({ number, value: BigInt(view.getUint32(skip(4), true)) })
        break
      default:
        throw new ProtobufFault('a field has an unknown type')
    }
  }
  return fields
}
