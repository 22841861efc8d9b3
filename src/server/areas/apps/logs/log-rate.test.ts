import { describe, expect, it } from 'vitest'
import { SharedLogRate } from './log-rate.ts'

const MIB = 1024 * 1024

function open() {
  const time = { now: 0 }
  return { time, shared: new SharedLogRate(() => time.now) }
}

describe('OP-09 the log lines of all apps of a process', () => {
  it('are read without a pause while they are fewer than 16 MiB a second', () => {
    const { shared } = open()
    const rates = Array.from({ length: 5 }, (_, n) => shared.ofStream(`app_${n}`))
    expect(rates.map((rate) => rate(3 * MIB))).toEqual([0, 0, 0, 0, 0])
  })

  it('make the apps wait that wrote more than their share, and no other', () => {
    const { time, shared } = open()
    const loud = Array.from({ length: 6 }, (_, n) => shared.ofStream(`app_${n}`))
    const quiet = shared.ofStream('app_quiet')
    expect(loud.map((rate) => rate(3 * MIB))).toEqual([0, 0, 0, 0, 0, 1000])
    time.now = 400
    expect(quiet(100_000)).toBe(0)
    expect(loud.map((rate) => rate(1_000))).toEqual([600, 600, 600, 600, 600, 600])
    time.now = 1_000
    expect(loud[0]!(1_000)).toBe(0)
  })

  it('are counted for each app, whatever number of streams it has', () => {
    const { shared } = open()
    const streams = Array.from({ length: 8 }, () => shared.ofStream('app_many'))
    const quiet = shared.ofStream('app_quiet')
    const pauses = streams.map((rate) => rate(3 * MIB))
    expect(pauses).toEqual([0, 0, 0, 0, 0, 1000, 1000, 1000])
    expect(quiet(MIB)).toBe(0)
  })

  it.each([
    [5 * MIB, 1250],
    [4 * MIB, 1000],
    [4 * MIB - 1, 0],
  ])('of one stream with %i bytes at once make it wait %i ms', (bytes, ms) => {
    expect(open().shared.ofStream('app_1')(bytes)).toBe(ms)
  })
})
