import { randomInt } from 'node:crypto'

/** The user ids that systemd gives to services for as long as they run. No person has one of these. */
const FIRST = 61_184
const LAST = 65_519

/**
 * Hands out user ids for sandboxes where svc is root, each to one sandbox at a time: the kernel counts processes by
 * user, so that with one user for all, one app could use up what the others may have.
 */
export function createUserIds(): {
  take(): number
  /** Takes one that a running sandbox has. */
  takeAgain(uid: number): void
  free(uid: number): void
} {
  const taken = new Set<number>()
  return {
    take: () => {
      for (;;) {
        const uid = randomInt(FIRST, LAST + 1)
        if (taken.has(uid)) continue
        taken.add(uid)
        return uid
      }
    },
    takeAgain: (uid) => void taken.add(uid),
    free: (uid) => void taken.delete(uid),
  }
}
