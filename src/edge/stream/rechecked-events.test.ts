import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ServiceError } from '#contract/core/errors.ts'
import { recheckedEvents } from './rechecked-events.ts'

describe('NO-16 a stream whose caller is checked again', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    isRevoked = false
    checks = 0
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  const refusal = new ServiceError('INVALID_TOKEN', 'revoked')
  let isRevoked = false
  let checks = 0
  const recheck = async () => {
    checks += 1
    if (isRevoked) throw refusal
  }
  const atExpiry = () => () => {}
  async function* silentAfter(...values: string[]): AsyncGenerator<string> {
    yield* values
    await new Promise(() => {})
  }

  it('passes an event on only after a check', async () => {
    const events = recheckedEvents(silentAfter('one', 'two'), { recheck, atExpiry })
    expect((await events.next()).value).toBe('one')
    expect(checks).toBe(1)
    isRevoked = true
    await expect(events.next()).rejects.toBe(refusal)
  })

  it('is checked every 30 seconds while nothing happens, and ends when the caller is refused', async () => {
    const next = recheckedEvents(silentAfter(), { recheck, atExpiry }).next()
    const settled = next.catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(29_999)
    expect(checks).toBe(0)
    await vi.advanceTimersByTimeAsync(60_001)
    expect(checks).toBe(3)
    isRevoked = true
    await vi.advanceTimersByTimeAsync(30_000)
    expect(await settled).toBe(refusal)
    await vi.advanceTimersByTimeAsync(300_000)
    expect(checks).toBe(4)
  })

  it('is checked when the credentials of its caller expire, and ends then', async () => {
    let expire = () => {}
    const onExpiry = (act: () => void) => {
      expire = act
      return () => {}
    }
    const next = recheckedEvents(silentAfter(), { recheck, atExpiry: onExpiry }).next()
    const settled = next.catch((error: unknown) => error)
    isRevoked = true
    expire()
    expect(await settled).toBe(refusal)
  })

  it('ends with its source, and a reader who leaves ends the source', async () => {
    const ended: string[] = []
    async function* source() {
      try {
        yield 'one'
        yield 'two'
      } finally {
        ended.push('source')
      }
    }
    const events = recheckedEvents(source(), { recheck, atExpiry })
    await events.next()
    await events.return(undefined)
    await Promise.resolve()
    expect(ended).toEqual(['source'])
    expect(await Array.fromAsync(recheckedEvents(source(), { recheck, atExpiry }))).toEqual(['one', 'two'])
  })
})
