import { describe, expect, it } from 'vitest'
import { ProtobufFault, ProtobufTooLarge, readOtlpProtobuf } from './otlp-protobuf.ts'

/** Fields of a message in the wire format: a number is a varint, a bigint eight bytes, anything else bytes. */
type Field = readonly [number: number, value: number | bigint | string | Uint8Array]

function message(...fields: Field[]): Uint8Array {
  return Buffer.concat(fields.map(([number, value]) => field(number, value)))
}

function field(number: number, value: Field[1]): Uint8Array {
  if (typeof value === 'number') return Buffer.concat([varint(number << 3), varint(value)])
  if (typeof value === 'bigint') {
    const bytes = Buffer.alloc(8)
    bytes.writeBigUInt64LE(value)
    return Buffer.concat([varint((number << 3) | 1), bytes])
  }
  const bytes = typeof value === 'string' ? Buffer.from(value) : value
  return Buffer.concat([varint((number << 3) | 2), varint(bytes.length), bytes])
}

function varint(value: number): Uint8Array {
  const bytes: number[] = []
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest])
    bytes.push((rest % 128) + 128)
  }
}

/** The request that holds one record: resource_logs 1, scope_logs 2, log_records 2. */
const MAX_RECORDS = 50_000

const requestOf = (record: Uint8Array) => message([1, message([2, message([2, record])])])

describe('MA-15 OTLP logs in protobuf', () => {
  it('are read with time, severity, body and attributes', () => {
    const attribute = message([1, 'order'], [2, message([3, 42])])
    const record = message(
      [1, 1_735_689_600_000_000_000n],
      [2, 17],
      [3, 'ERROR'],
      [5, message([1, 'order failed'])],
      [6, attribute],
      [11, 5n],
    )
    expect(readOtlpProtobuf(requestOf(record), MAX_RECORDS)).toEqual([
      {
        timeUnixNano: 1_735_689_600_000_000_000n,
        observedTimeUnixNano: 5n,
        severityNumber: 17,
        severityText: 'ERROR',
        body: 'order failed',
        attributes: { order: '42' },
      },
    ])
  })

  it.each([
    ['a boolean', message([2, 1]), true],
    ['a double', message([4, 4_609_434_218_613_702_656n]), 1.5],
    ['bytes', message([7, Buffer.from('hi')]), 'aGk='],
    ['a list', message([5, message([1, message([1, 'a'])], [1, message([1, 'b'])])]), ['a', 'b']],
    ['a map', message([6, message([1, message([1, 'k'], [2, message([1, 'v'])])])]), { k: 'v' }],
    ['nothing', message(), undefined],
  ])('have %s as body', (_, body, expected) => {
    expect(readOtlpProtobuf(requestOf(message([5, body])), MAX_RECORDS)[0]?.body).toEqual(expected)
  })

  it('ignore fields that they do not know', () => {
    expect(readOtlpProtobuf(message([99, 'future'], [98, 7]), MAX_RECORDS)).toEqual([])
  })

  const nested = Array.from({ length: 40 }).reduce<Uint8Array>((inner) => message([5, message([1, inner])]), message())
  it.each([
    ['text', Buffer.from('not protobuf at all')],
    ['a length beyond the end', Buffer.from([0x0a, 0xff, 0x01])],
    ['a number without an end', Buffer.alloc(12, 0xff)],
    ['an unknown type', Buffer.from([0x0b])],
    ['values nested too deeply', requestOf(message([5, nested]))],
  ])('are refused if they are %s', (_, bytes) => {
    expect(() => readOtlpProtobuf(bytes, MAX_RECORDS)).toThrow(ProtobufFault)
  })

  it.each([
    ['empty records', 8_000_000, [0x12, 0]],
    ['fields that mean nothing', 8_000_000, [0x08, 0]],
  ])('OP-10 are refused at the first of many %s that is too many', (_, size, bytes) => {
    const request = message([1, message([2, Buffer.alloc(size, Buffer.from(bytes))])])
    expect(() => readOtlpProtobuf(request, MAX_RECORDS)).toThrow(ProtobufTooLarge)
  })
})
