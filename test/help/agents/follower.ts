import { once } from 'node:events'
import { BEFORE_ALL_NOTIFICATIONS } from '#contract/notifications/inbox.ts'
import { untilDone } from '../until.ts'
import { connectClient } from './mcp.ts'

export type Follower = AsyncDisposable & {
  /** The notifications in the order in which they came. */
  readonly heard: { readonly id: string; readonly atMs: number }[]
  readonly connections: () => number
}

/** Follows the inbox with the official client of 2026-07-28, and goes on after the last notification when a stream ends. */
export function startFollower(url: () => string, token: string): Follower {
  const heard: { id: string; atMs: number }[] = []
  const stopping = new AbortController()
  const stopped = once(stopping.signal, 'abort')
  let connections = 0
  const listenOnce = async () => {
    const client = await connectClient(`${url()}/mcp/notifications`, token, '2026-07-28')
    try {
      client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
        const { id } = params._meta!['svc/notification'] as { id: string }
        heard.push({ id, atMs: performance.now() })
      })
      const since = heard.at(-1)?.id ?? BEFORE_ALL_NOTIFICATIONS
      const { closed } = await client.listen({ resourceSubscriptions: [`svc://notifications?since=${since}`] })
      connections += 1
      await Promise.race([closed, stopped])
    } finally {
      await client.close()
    }
  }
  const follow = async () => {
    while (!stopping.signal.aborted) await untilDone(async () => stopping.signal.aborted || (await listenOnce()))
  }
  const ended = follow()
  return {
    heard,
    connections: () => connections,
    [Symbol.asyncDispose]: async () => {
      stopping.abort()
      await ended
    },
  }
}
