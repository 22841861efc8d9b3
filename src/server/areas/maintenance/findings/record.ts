import type { Tx } from '#lib/db/db.ts'
import type { Detected, JudgedFinding } from '../detect/detectors.ts'
import { fingerprintOf } from '../detect/fingerprint.ts'
import { recordFinding } from './store.ts'

export type Seen = Detected & { readonly fingerprint: string }

/** A finding of a model has the fingerprint of its identity, which the server made of the evidence. */
export function toSeen(found: Detected | JudgedFinding): Seen {
  const { kind, path, symbol, template, summary } = found
  const identity = 'identity' in found ? found.identity : found
  return { kind, path, symbol, template, summary, fingerprint: fingerprintOf(identity) }
}

type Place = { readonly appId: string; readonly runId: string; readonly at: Date }

/** Records that faults were seen. `isNew`: never before in this app. */
export async function recordAll(
  tx: Tx,
  place: Place,
  found: readonly Seen[],
): Promise<(Seen & { readonly isNew: boolean })[]> {
  const recorded: (Seen & { isNew: boolean })[] = []
  for (const one of found) recorded.push({ ...one, isNew: await recordFinding(tx, { ...one, ...place }) })
  return recorded
}
