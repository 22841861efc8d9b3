import type { Tx } from '#lib/db/db.ts'
import type { Detected, JudgedFinding } from '../detect/detectors.ts'
import { fingerprintOf } from '../detect/fingerprint.ts'
import { type Place, recordFinding, type Seen } from './store.ts'

/** A finding of a model has the fingerprint of its identity, which the server made of the evidence. */
export function toSeen(found: Detected | JudgedFinding): Seen {
  const { kind, path, symbol, template, summary } = found
  const identity = 'identity' in found ? found.identity : found
  const lines = found.lines ?? identity.lines ?? []
  return { kind, path, symbol, template, summary, lines, fingerprint: fingerprintOf(identity) }
}

/** `isNew`: never seen before in this app. */
type Recorded = Seen & { readonly isNew: boolean }

export async function recordAll(tx: Tx, place: Place, found: readonly Seen[]): Promise<Recorded[]> {
  const recorded: Recorded[] = []
  for (const one of found) recorded.push({ ...one, isNew: await recordFinding(tx, { ...one, ...place }) })
  return recorded
}
