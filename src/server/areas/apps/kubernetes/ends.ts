import { describeEnd, endsOf, lastEndOf, type Pod, statusOf } from './pod.ts'

/** How often the app of each pod was seen to end, by the uid of the pod. */
export type SeenEnds = ReadonlyMap<string, number>

/**
 * Returns the ends of the app between two looks at its pods, oldest first, each in words. An end that happened while
 * nobody watched counts too. The first look, with `before` undefined, takes what happened earlier as known.
 */
export function findEnds(before: SeenEnds | undefined, pods: readonly Pod[], memoryBytes: number) {
  const seen = new Map<string, number>()
  const ends: string[] = []
  for (const pod of pods) {
    const { uid } = pod.metadata
    const status = statusOf(pod, 'app')
    const count = status ? endsOf(status) : 0
    const reportedEnds = before === undefined ? count : (before.get(uid) ?? 0)
    const end = status && lastEndOf(status)
    if (end) for (let n = reportedEnds; n < count; n++) ends.push(describeEnd(end, memoryBytes))
    if (isGoing(pod)) {
      if (before?.has(uid)) ends.push(whyGoing(pod))
    } else seen.set(uid, count)
  }
  const present = new Set(pods.map(({ metadata }) => metadata.uid))
  for (const uid of before?.keys() ?? []) if (!present.has(uid)) ends.push('its pod was removed')
  return { seen, ends }
}

function isGoing({ metadata, status }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined || status.phase === 'Failed'
}

function whyGoing({ status }: Pod): string {
  const { reason, message } = status
  if (reason === undefined) return 'its pod was removed'
  return message === undefined ? `its pod was removed: ${reason}` : `its pod was removed: ${reason}, ${message}`
}
