import { describe, expect, it } from 'vitest'
import { testClock } from '../time/clock.ts'
import { createBoundedCache, loadOnce } from './bounded-cache.ts'

describe('a bounded cache', () => {
  it('evicts the oldest entry that was not hit', () => {
    const cache = createBoundedCache<string, number>({ max: 2 })
    cache.set('a', 1)
    cache.set('b', 2)
    cache.get('a')
    cache.set('c', 3)
    expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual([1, undefined, 3])
  })

  it('does not count has as a hit', () => {
    const cache = createBoundedCache<string, number>({ max: 2 })
    cache.set('a', 1)
    cache.set('b', 2)
    expect(cache.has('a')).toBe(true)
    cache.set('c', 3)
    expect([cache.has('a'), cache.has('b')]).toEqual([false, true])
  })

  it('evicts the oldest entry where all were hit, and holds the new one', () => {
    const cache = createBoundedCache<string, number>({ max: 2 })
    cache.set('a', 1)
    cache.set('b', 2)
    cache.get('b')
    cache.get('a')
    cache.set('c', 3)
    expect([cache.has('a'), cache.has('b'), cache.has('c')]).toEqual([false, true, true])
  })

  it('counts in the unit of sizeOf, also after a value was replaced, deleted or cleared', () => {
    const cache = createBoundedCache<string, string>({ max: 10, sizeOf: (text) => text.length })
    cache.set('a', '12345678')
    cache.set('a', '1')
    cache.set('b', '123456789')
    expect([cache.get('a'), cache.get('b')]).toEqual(['1', '123456789'])
    cache.delete('b')
    cache.set('c', '123456789')
    expect([cache.get('a'), cache.get('c')]).toEqual(['1', '123456789'])
    cache.clear()
    cache.set('d', '1234567890')
    expect([cache.get('a'), cache.get('d')]).toEqual([undefined, '1234567890'])
  })

  it('a value larger than the whole limit is not cached and evicts nothing', () => {
    const cache = createBoundedCache<string, string>({ max: 3, sizeOf: (text) => text.length })
    cache.set('small', '123')
    cache.set('large', '1234')
    expect([cache.get('large'), cache.get('small')]).toEqual([undefined, '123'])
  })

  it('a value expires after its time to live, however often it is read', () => {
    const clock = testClock()
    const cache = createBoundedCache<string, number>({ max: 2, ttl: { ms: 1000, clock } })
    cache.set('a', 1)
    clock.advance(999)
    expect(cache.get('a')).toBe(1)
    clock.advance(1)
    expect(cache.has('a')).toBe(false)
    expect(cache.get('a')).toBeUndefined()
  })

  it('makes a missing value once and caches it, and caches nothing when that fails', () => {
    const cache = createBoundedCache<string, number>({ max: 2 })
    const fail = () => {
      throw new Error('no value')
    }
    expect(() => cache.getOrMake('a', fail)).toThrow('no value')
    expect(cache.getOrMake('a', () => 1)).toBe(1)
    expect(cache.getOrMake('a', fail)).toBe(1)
  })

  it('remembers an absence where the caller caches null', () => {
    const cache = createBoundedCache<string, number | null>({ max: 2 })
    cache.set('nobody', null)
    expect(cache.get('nobody')).toBeNull()
  })
})

describe('loading through a bounded cache', () => {
  const setUp = () => {
    const clock = testClock()
    const cache = createBoundedCache<string, Promise<string>>({ max: 10, ttl: { ms: 1000, clock } })
    return { clock, cache }
  }

  it('callers that ask while a value loads share one load', async () => {
    const { cache } = setUp()
    const { promise, resolve } = Promise.withResolvers<string>()
    const first = loadOnce(cache, 'a', () => promise)
    const second = loadOnce(cache, 'a', () => Promise.reject(new Error('a second load')))
    resolve('one')
    expect(await Promise.all([first, second])).toEqual(['one', 'one'])
  })

  it('a failed load rejects all waiting callers and is not cached', async () => {
    const { cache } = setUp()
    await expect(loadOnce(cache, 'a', () => Promise.reject(new Error('down')))).rejects.toThrow('down')
    expect(await loadOnce(cache, 'a', async () => 'up')).toBe('up')
  })

  it('a value that the caller refuses to keep is loaded again', async () => {
    const { cache } = setUp()
    const isKept = (value: string) => value !== 'absent'
    expect(await loadOnce(cache, 'a', async () => 'absent', isKept)).toBe('absent')
    expect(await loadOnce(cache, 'a', async () => 'present', isKept)).toBe('present')
    expect(await loadOnce(cache, 'a', async () => 'another', isKept)).toBe('present')
  })

  it.each(['delete', 'clear'] as const)('%s during a load makes later callers load again', async (forget) => {
    const { cache } = setUp()
    const { promise, resolve } = Promise.withResolvers<string>()
    const early = loadOnce(cache, 'a', () => promise)
    cache[forget]('a')
    const late = loadOnce(cache, 'a', async () => 'after')
    resolve('before')
    expect(await Promise.all([early, late])).toEqual(['before', 'after'])
    expect(await cache.get('a')).toBe('after')
  })

  it('an early load that fails late does not remove the value of a later one', async () => {
    const { cache } = setUp()
    const { promise, reject } = Promise.withResolvers<string>()
    const early = loadOnce(cache, 'a', () => promise)
    cache.delete('a')
    await loadOnce(cache, 'a', async () => 'after')
    reject(new Error('late'))
    await expect(early).rejects.toThrow('late')
    expect(await cache.get('a')).toBe('after')
  })

  it('the time to live starts with the load', async () => {
    const { cache, clock } = setUp()
    const { promise, resolve } = Promise.withResolvers<string>()
    const slow = loadOnce(cache, 'a', () => promise)
    clock.advance(1000)
    expect(await loadOnce(cache, 'a', async () => 'fresh')).toBe('fresh')
    resolve('stale')
    expect(await slow).toBe('stale')
    expect(await loadOnce(cache, 'a', async () => 'newer')).toBe('fresh')
  })
})
