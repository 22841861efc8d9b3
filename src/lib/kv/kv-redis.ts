import { Redis } from 'ioredis'
import type { KeyValueStore, QuotaRefusal } from './kv.ts'

const COUNT = `local n = redis.call('incr', KEYS[1]) if n == 1 then redis.call('expire', KEYS[1], ARGV[1]) end return n`

/**
 * Takes the limit, the seconds and the start count of each window. Returns the position (from 1) of the first window that
 * refuses, minus that of one that needs a start count, or 0 if the use was counted.
 */
const TAKE = `
  for i = 1, #KEYS do
    local limit, seconds, start_count = ARGV[i * 3 - 2], ARGV[i * 3 - 1], ARGV[i * 3]
    local n = redis.call('get', KEYS[i])
    if not n then
      if start_count == '' then return -i end
      redis.call('set', KEYS[i], start_count, 'EX', seconds)
      n = start_count
    end
    if tonumber(n) >= tonumber(limit) then return i end
  end
  for i = 1, #KEYS do redis.call('incr', KEYS[i]) end
  return 0`

/** How long the key of the write check stays. */
const PING_SECONDS = 60

class Commands extends Redis {
  declare takeFromAll: (count: number, ...keysAndArguments: (string | number)[]) => Promise<number>
}

/** Connects in the background. Commands fail after 2 s without an answer; `onError` hears of connection errors. */
export function openRedis(url: string, onError: (error: unknown) => void, keyPrefix = 'svc:'): KeyValueStore {
  const redis = new Commands(url, {
    maxRetriesPerRequest: 1,
    connectTimeout: 3_000,
    commandTimeout: 2_000,
    // A host that is gone sends no reset: without this the dead connection would be used until TCP gives up.
    socketTimeout: 5_000,
    keyPrefix,
    scripts: { takeFromAll: { lua: TAKE } },
  })
  redis.on('error', onError)
  return {
    kind: 'redis',
    count: async (key, seconds) => Number(await redis.eval(COUNT, 1, key, seconds)),
    take: async (windows) => {
      const limits = windows.flatMap(({ limit, seconds, startCount }) => [
        limit,
        seconds,
        startCount === 'unknown' ? '' : startCount,
      ])
      const keys = windows.map(({ key }) => key)
      return toRefusal(await redis.takeFromAll(windows.length, ...keys, ...limits))
    },
    get: async (key) => (await redis.get(key)) ?? undefined,
    set: async (key, value, seconds) => {
      await redis.set(key, value, 'EX', seconds)
    },
    setOnce: async (key, seconds) => (await redis.set(key, '1', 'EX', seconds, 'NX')) === 'OK',
    delete: async (key) => {
      await redis.del(key)
    },
    // A write, because a Redis that is out of memory, cannot save or became a replica still answers PING.
    ping: async () => {
      await redis.set('write-check', '1', 'EX', PING_SECONDS)
    },
    [Symbol.asyncDispose]: async () => redis.disconnect(),
  }
}

function toRefusal(position: number): QuotaRefusal | undefined {
  if (position === 0) return undefined
  return position > 0 ? { exhausted: position - 1 } : { needsStartCount: -position - 1 }
}
