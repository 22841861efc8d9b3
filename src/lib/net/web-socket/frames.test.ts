import { expect, it } from 'vitest'
import { seeded } from '#test/seeded.ts'
import { closeFrame, Frames } from './frames.ts'

const SEED = 7
const CHUNKS = 5_000

/** A frame with a payload of so many bytes, with or without a mask. */
function frame(opcode: number, size: number, isMasked: boolean): Buffer {
  const length = size < 126 ? [size] : size < 65_536 ? [126, size >> 8, size & 0xff] : [127, 0, 0, 0, 0, 0, 1, 0, 0]
  length[0]! |= isMasked ? 0x80 : 0
  // The bytes of payload and mask look like headers of close frames.
  return Buffer.concat([Buffer.from([0x80 | opcode, ...length]), Buffer.alloc((isMasked ? 4 : 0) + size, 0x88)])
}

it(`AP-01 the end of each frame is found, however its bytes arrive (seed ${SEED})`, () => {
  const random = seeded(SEED)
  const sizes = [0, 1, 125, 126, 300, 65_535, 65_536]
  const all = Array.from({ length: 200 }, () =>
    frame(random() < 0.5 ? 1 : 2, sizes[Math.floor(random() * sizes.length)]!, random() < 0.5),
  )
  const ends = [0]
  for (const { length } of all) ends.push(ends.at(-1)! + length)
  const bytes = Buffer.concat(all)
  const frames = new Frames()
  const found: number[] = []
  for (let at = 0; at < bytes.length; ) {
    const chunk = bytes.subarray(at, at + 1 + Math.floor(random() ** 4 * CHUNKS))
    at += frames.follow(chunk, true)
    if (!frames.isBetweenFrames) continue
    found.push(at)
    // Begins the next frame, since nothing is followed between two of them.
    at += frames.follow(bytes.subarray(at, at + 1))
  }
  expect(found).toEqual(ends)
  expect(frames.hasClosed).toBe(false)
})

it('AP-01 a close frame is noticed, and the one that is added has its code', () => {
  const frames = new Frames()
  frames.follow(closeFrame(1012))
  expect(frames.hasClosed).toBe(true)
  expect(frames.isBetweenFrames).toBe(true)
  expect([...closeFrame(1012)]).toEqual([0x88, 2, 0x03, 0xf4])
})

it('AP-01 a frame without an end never ends', () => {
  const frames = new Frames()
  frames.follow(Buffer.from([0x82, 127, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]))
  frames.follow(Buffer.alloc(1_000_000))
  expect(frames.isBetweenFrames).toBe(false)
})
