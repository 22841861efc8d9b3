import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Resolve } from '../connector.ts'
import { createDnsResolve } from './dns.ts'

/** Addresses by name and record type (1: A, 28: AAAA), as bytes. */
const RECORDS: Record<string, Record<number, number[][]>> = {
  'four.example': { 1: [[93, 184, 215, 14]] },
  'both.example': { 1: [[93, 184, 215, 14]], 28: [[0x26, 0x06, 0x28, 0, ...Array.from({ length: 11 }, () => 0), 1]] },
}

/** Answers a question with its records (RFC 1035 section 4), or with "no such name". */
function answer(question: Buffer): Buffer {
  const labels: string[] = []
  let at = 12
  for (; question[at] !== 0; at += question[at]! + 1)
    labels.push(question.toString('latin1', at + 1, at + 1 + question[at]!))
  const records = RECORDS[labels.join('.')]
  const found = records?.[question.readUInt16BE(at + 1)] ?? []
  const head = Buffer.from(question.subarray(0, 12))
  head.writeUInt16BE(records ? 0x8180 : 0x8183, 2)
  head.writeUInt16BE(found.length, 6)
  head.writeUInt32BE(0, 8)
  const type = question.subarray(at + 1, at + 3)
  const body = found.map((bytes) =>
    Buffer.concat([Buffer.from([0xc0, 12]), type, Buffer.from([0, 1, 0, 0, 0, 60, 0, bytes.length, ...bytes])]),
  )
  return Buffer.concat([head, question.subarray(12, at + 5), ...body])
}

describe('names that a name server is asked for', () => {
  const server = createSocket('udp4')
  let resolve: Resolve
  beforeAll(async () => {
    server.on('message', (question, { port, address }) => server.send(answer(question), port, address))
    server.bind(0, '127.0.0.1')
    await once(server, 'listening')
    resolve = createDnsResolve([`127.0.0.1:${server.address().port}`])
  })
  afterAll(() => server.close())

  it('have the addresses of both families', async () => {
    expect(await resolve('both.example')).toEqual([
      { address: '93.184.215.14', family: 4 },
      { address: '2606:2800::1', family: 6 },
    ])
  })

  it('may have those of one family only', async () => {
    expect(await resolve('four.example')).toEqual([{ address: '93.184.215.14', family: 4 }])
  })

  it('that do not exist are refused', async () => {
    await expect(resolve('gone.example')).rejects.toMatchObject({ code: 'ENOTFOUND' })
  })
})
