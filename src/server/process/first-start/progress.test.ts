import { afterEach, expect, it, vi } from 'vitest'
import { printIfSlow } from './progress.ts'

afterEach(() => vi.useRealTimers())

it('OP-01 work that takes longer than a second is printed, once', async () => {
  vi.useFakeTimers()
  const lines: string[] = []
  const { promise, resolve } = Promise.withResolvers<string>()
  const result = printIfSlow(
    'opening the database',
    () => promise,
    (line) => void lines.push(line),
  )
  vi.advanceTimersByTime(999)
  expect(lines).toEqual([])
  vi.advanceTimersByTime(5_000)
  resolve('opened')
  expect(await result).toBe('opened')
  expect(lines).toEqual(['svc: opening the database …'])
})

it.each(['resolves', 'rejects'])('OP-01 work that %s within a second is not printed', async (how) => {
  vi.useFakeTimers()
  const lines: string[] = []
  const work = async () => {
    if (how === 'rejects') throw new Error('no')
  }
  await printIfSlow('opening the database', work, (line) => void lines.push(line)).catch(() => undefined)
  vi.advanceTimersByTime(5_000)
  expect(lines).toEqual([])
})
