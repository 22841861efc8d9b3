import { expect, it } from 'vitest'
import { freeBuffer } from './free-buffer.ts'

it('frees a large buffer, and the memory of a sequence with its last one', () => {
  const whole = Buffer.allocUnsafeSlow(64 * 1024)
  freeBuffer(whole)
  expect(whole.length).toBe(0)
  const block = Buffer.allocUnsafeSlow(100_000)
  freeBuffer(block.subarray(0, 50_000))
  expect(block.length).toBe(100_000)
  freeBuffer(block.subarray(50_000))
  expect(block.length).toBe(0)
})

it('leaves small buffers alone, whose memory others of the process share, also the last one in it', () => {
  const shared: Buffer[] = []
  const isLast = ({ byteOffset, length }: Buffer) => byteOffset + length === Buffer.poolSize
  do shared.push(Buffer.allocUnsafe(8))
  while (!isLast(shared.at(-1)!))
  for (const each of shared) freeBuffer(each)
  expect(shared.every(({ length }) => length === 8)).toBe(true)
})
