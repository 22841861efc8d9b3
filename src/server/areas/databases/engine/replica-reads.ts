import type { Address, Replica } from './engine.ts'
import type { Reads } from './reads.ts'

/**
 * Reads from the replica, and from the primary where the replica cannot be used or fails. Every failure counts: a replica
 * that is a moment behind lacks tables and rights that the primary has.
 */
export function readsFromReplica(replica: Replica, primary: Reads, open: (address: Address) => Reads): Reads {
  return {
    async reads(work, session, local) {
      const address = await replica.address()
      if (!address) return primary.reads(work, session, local)
      try {
        return await open(address).reads(work, session, local)
      } catch (error) {
        replica.failed(error)
        return primary.reads(work, session, local)
      }
    },
  }
}
