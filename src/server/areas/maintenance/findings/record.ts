import type { Tx } from '#lib/db/db.ts'
import type { Detected, JudgedFinding } from '../detect/detectors.ts'
import { fingerprintOf } from '../detect/fingerprint.ts'
import { formerRevisionOf } from '../detect/former-revision.ts'
import { findFormer, type Place, recordFinding, type Seen } from './store.ts'

/** A finding of a model has the fingerprint of its identity, which the server made of the evidence. */
export function toSeen(found: Detected | JudgedFinding): Seen {
  const { kind, path, symbol, template, summary } = found
  const identity = 'identity' in found ? found.identity : found
  const lines = found.lines ?? identity.lines ?? []
  return { kind, path, symbol, template, summary, lines, fingerprint: fingerprintOf(identity) }
}

/** `isNew`: never seen before in this app, or closed since then, also by another live revision. `isDismissed`: a person said that it is no fault. */
type Recorded = Seen & { readonly isNew: boolean; readonly isDismissed: boolean }

/** `live` is the revision that the run looked at. */
export async function recordAll(
  tx: Tx,
  { live, ...place }: Place & { live: string | null },
  found: readonly Seen[],
): Promise<Recorded[]> {
  const fingerprints = found.map(({ fingerprint }) => fingerprint)
  const formers = await findFormer(tx, place.appId, fingerprints)
  const recorded: Recorded[] = []
  for (const one of found) {
    const former = formers.get(one.fingerprint)
    const isOfFormer = (lines: Seen['lines'] = []) => formerRevisionOf(lines, live) !== null
    // Its lines would make the finding new again and again, if this run cites none.
    const isFirstOfLive = isOfFormer(former?.lines) && !isOfFormer(one.lines)
    await recordFinding(tx, { ...one, ...place, keepsLines: !isFirstOfLive })
    recorded.push({
      ...one,
      isNew: !former || former.is_closed || isFirstOfLive,
      isDismissed: former?.is_dismissed ?? false,
    })
  }
  return recorded
}
