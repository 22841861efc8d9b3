import { afterEach, expect, it, vi } from 'vitest'
import { printIfSlow } from './progress.ts'

afterEach(() => vi.useRealTimers())

it('OP-01 work that takes longer than a second is printed, and every ten seconds again', async () => {
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
  vi.advanceTimersByTime(1)
  expect(lines).toEqual(['svc: opening the database …'])
  vi.advanceTimersByTime(20_000)
  resolve('opened')
  expect(await result).toBe('opened')
  vi.advanceTimersByTime(60_000)
  expect(lines).toEqual([
    'svc: opening the database …',
    'svc: opening the database … (11 s)',
    'svc: opening the database … (21 s)',
  ])
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
