import type { OtlpRecord } from './otlp-json.ts'

/** The bytes are not a protobuf message of this shape. */
export class ProtobufFault extends Error {
  override readonly name = 'ProtobufFault'
}

/** The request has more than the server reads at once. */
export class ProtobufTooLarge extends Error {
  override readonly name = 'ProtobufTooLarge'
}

/** The records and fields that may still be read. Counted while reading, because an empty record takes two bytes and many times that in memory. */
type Budget = { records: number; fields: number }

type Field = { readonly number: number; readonly value: bigint | Uint8Array }

const MAX_DEPTH = 16
/** Fields of one request, of all messages in it: twenty for each of the most records. */
const MAX_FIELDS = 1_000_000

/**
 * Reads an ExportLogsServiceRequest in its binary encoding. Only the fields that a log line is made of are looked at.
 * Field numbers are those of opentelemetry/proto/logs/v1 and common/v1. Throws ProtobufTooLarge.
 */
export function readOtlpProtobuf(bytes: Uint8Array, maxRecords: number): OtlpRecord[] {
  const budget = { records: maxRecords, fields: MAX_FIELDS }
  const records: OtlpRecord[] = []
  for (const resourceLogs of messagesOf(bytes, 1, budget)) {
    for (const scopeLogs of messagesOf(resourceLogs, 2, budget)) {
      for (const record of fieldsIn(scopeLogs, budget)) {
        if (record.number !== 2 || typeof record.value === 'bigint') continue
        if (--budget.records < 0) throw new ProtobufTooLarge('too many records')
        records.push(readRecord(record.value, budget))
      }
    }
  }
  return records
}

function readRecord(bytes: Uint8Array, budget: Budget): OtlpRecord {
  const fields = fieldsOf(bytes, budget)
  return {
    timeUnixNano: numberAt(fields, 1),
    observedTimeUnixNano: numberAt(fields, 11),
    severityNumber: Number(numberAt(fields, 2)),
    severityText: textAt(fields, 3),
    body: anyValue(bytesAt(fields, 5), 0, budget),
    attributes: keyValues(fields, 6, 0, budget),
  }
}

/** AnyValue: 1 string, 2 bool, 3 int, 4 double, 5 array, 6 list of key and value, 7 bytes. */
function anyValue(bytes: Uint8Array | undefined, depth: number, budget: Budget): unknown {
  if (bytes === undefined) return undefined
  if (depth > MAX_DEPTH) throw new ProtobufFault('values are nested too deeply')
  const [field] = fieldsOf(bytes, budget)
  if (!field) return undefined
  const { number, value } = field
  if (typeof value === 'bigint') return scalar(number, value)
  if (number === 1) return Buffer.from(value).toString('utf8')
  if (number === 5) return messagesOf(value, 1, budget).map((item) => anyValue(item, depth + 1, budget))
  if (number === 6) return keyValues(fieldsOf(value, budget), 1, depth + 1, budget)
  return Buffer.from(value).toString('base64')
}

function scalar(number: number, value: bigint): unknown {
  if (number === 2) return value !== 0n
  if (number === 4) return new Float64Array(new BigUint64Array([value]).buffer)[0]
  return String(BigInt.asIntN(64, value))
}

function keyValues(fields: readonly Field[], number: number, depth: number, budget: Budget): Record<string, unknown> {
  const pairs = fields.filter((field) => field.number === number && typeof field.value !== 'bigint')
  return Object.fromEntries(
    pairs.map(({ value }) => {
      const pair = fieldsOf(value as Uint8Array, budget)
      return [textAt(pair, 1), anyValue(bytesAt(pair, 2), depth + 1, budget)]
    }),
  )
}

function messagesOf(bytes: Uint8Array, number: number, budget: Budget): Uint8Array[] {
  return fieldsOf(bytes, budget).flatMap((field) =>
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

function fieldsOf(bytes: Uint8Array, budget: Budget): Field[] {
  return [...fieldsIn(bytes, budget)]
}

/** Yields the fields of a message: wire type 0 varint, 1 eight bytes, 2 length and bytes, 5 four bytes. */
function* fieldsIn(bytes: Uint8Array, budget: Budget): Generator<Field> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
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
    if (--budget.fields < 0) throw new ProtobufTooLarge('too many fields')
    const key = varint()
    const number = Number(key >> 3n)
    switch (Number(key & 7n)) {
      case 0:
        yield { number, value: varint() }
        break
      case 1:
        yield { number, value: view.getBigUint64(skip(8), true) }
        break
      case 2: {
        const size = Number(varint())
        const from = skip(size)
        yield { number, value: bytes.subarray(from, from + size) }
        break
      }
      case 5:
        yield { number, value: BigInt(view.getUint32(skip(4), true)) }
        break
      default:
        throw new ProtobufFault('a field has an unknown type')
    }
  }
}
