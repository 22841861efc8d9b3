import { Redis } from 'ioredis'

type RedisMemory = {
  /** Bytes that Redis may use; 0 without a limit. */
  limitBytes: number
  /** Behaviour of Redis at the limit, such as `noeviction` or `allkeys-lru`. */
  policy: string
}

/** Asks Redis how it treats its memory limit. Throws if it does not answer in 3 seconds or refuses the password. */
export async function readRedisMemory(url: string): Promise<RedisMemory> {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: 3_000,
    commandTimeout: 3_000,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  })
  // Without a listener ioredis prints connection errors itself. The caller gets them from the command.
  redis.on('error', () => undefined)
  try {
    await redis.connect()
    const info = await redis.info('memory')
    const field = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1] ?? ''
    return { limitBytes: Number(field('maxmemory')), policy: field('maxmemory_policy') }
  } finally {
    redis.disconnect()
  }
}
