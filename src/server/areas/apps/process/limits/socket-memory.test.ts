import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { socketBytes } from './socket-memory.ts'

const MIB = 1024 * 1024
const HEAD = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n'

let script: string
beforeEach(() => {
  script = mkdtempSync(join(tmpdir(), 'svc-sockets-'))
  mkdirSync(join(script, 'net'))
})
afterEach(() => rmSync(script, { recursive: true, force: true }))

/** Writes the tables of a kernel with so many sockets. */
function kernelHas(used: number, tcp: string): void {
  writeFileSync(
    join(script, 'net', 'sockstat'),
    `sockets: used ${used}\nTCP: inuse ${used} orphan 0 tw 0 alloc 0 mem 0\n`,
  )
  writeFileSync(join(script, 'net', 'tcp'), HEAD + tcp)
}

function row(n: number, state: string, waiting = 0): string {
  const queues = `00000000:${waiting.toString(16).toUpperCase().padStart(8, '0')}`
  return `${String(n).padStart(4)}: 0100007F:91CF 0100007F:0BB8 ${state} ${queues} 00:00000000 00000000   103        0 6556 1\n`
}

function rows(count: number, state: string): string {
  return Array.from({ length: count }, (_, n) => row(n, state)).join('')
}

it('OP-09 counts sockets that hold nothing', async () => {
  kernelHas(1000, rows(1000, '01'))
  expect(await socketBytes(script, 512 * MIB)).toBe(1000 * 4096)
})

it('OP-09 counts what waits in sockets twice, for what the kernel needs around it', async () => {
  kernelHas(10, rows(9, '01') + row(9, '01', 5000))
  expect(await socketBytes(script, 512 * MIB)).toBe(10 * 4096 + 2 * 5000)
})

it('OP-09 reads no table where the count of sockets is too much alone', async () => {
  kernelHas(200_000, row(0, '01', 5000))
  expect(await socketBytes(script, 512 * MIB)).toBe(200_000 * 4096)
})

it('OP-09 reads a bounded part of a long table, and sockets in the rest count as full', async () => {
  kernelHas(100_000, rows(100_000, '01') + row(100_000, '01', 5000))
  expect(await socketBytes(script, 512 * MIB)).toBe(100_000 * 4096 + (100_000 - 65_536) * 208 * 1024)
})

it('MA-15 connections that have ended make an app with few sockets no larger', async () => {
  kernelHas(100, rows(100, '01') + rows(70_000, '06'))
  expect(await socketBytes(script, 512 * MIB)).toBe(100 * 4096)
})
