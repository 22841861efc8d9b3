import { rm } from 'node:fs/promises'
import type { DoorProcess } from './door-process.ts'
import type { ProxyFacts } from './messages.ts'
import type { Orders } from './orders.ts'
import { DoorEnded } from './own-requests.ts'

type OnRefused = (reason: string) => void
type OnError = (error: unknown, path: string) => void
export type OutgoingProxies = ReturnType<typeof createOutgoingProxies>

/**
 * The ways out of apps, which each new door opens again. `onError` is called for one that cannot be opened again.
 * `opened`: the paths of those that the door opened for a former program.
 */
export function createOutgoingProxies(orders: Orders, onError: OnError, opened: readonly string[] = []) {
  const left = new Set(opened)
  const proxies = new Map<string, { readonly facts: ProxyFacts; readonly onRefused: OnRefused }>()
  const openOne = async (door: DoorProcess, facts: ProxyFacts): Promise<void> => {
    // The socket of a process that was killed is still there.
    await rm(facts.path, { force: true })
    await orders.give(door, (id) => ({ do: 'open_proxy', id, ...facts }))
  }
  return {
    /** Goes on with one that the door opened for a former program. Returns false if it did not. */
    goOn(facts: ProxyFacts, onRefused: OnRefused): boolean {
      if (!left.delete(facts.path)) return false
      proxies.set(facts.path, { facts, onRefused })
      return true
    },
    async open(door: DoorProcess, facts: ProxyFacts, onRefused: OnRefused): Promise<void> {
      proxies.set(facts.path, { facts, onRefused })
      try {
        await openOne(door, facts)
      } catch (error) {
        // A door that ended meanwhile opens it when it is started again.
        if (error instanceof DoorEnded) return
        proxies.delete(facts.path)
        throw error
      }
    },
    async close(door: DoorProcess | undefined, path: string): Promise<void> {
      proxies.delete(path)
      if (door) await orders.give(door, (id) => ({ do: 'close_proxy', id, path })).catch(() => {})
    },
    /** One that cannot be opened again must not keep the door from all other apps. */
    async openAllAgain(door: DoorProcess): Promise<void> {
      for (const { facts } of proxies.values()) {
        try {
          await openOne(door, facts)
        } catch (error) {
          if (error instanceof DoorEnded) throw error
          onError(error, facts.path)
        }
      }
    },
    paths: (): readonly string[] => [...proxies.keys()],
    refused(path: string, reason: string): void {
      proxies.get(path)?.onRefused(reason)
    },
  }
}
