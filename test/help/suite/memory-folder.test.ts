import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { expect, it } from 'vitest'
import { chooseMemoryFolder, forbidsPrograms, removeLeftovers } from './memory-folder.ts'

/** Larger than any id that Linux gives to a process. */
const NO_PROCESS = 2 ** 22 + 1

it.runIf(existsSync('/dev/shm'))(
  'the folder of a run that was killed is removed, and that of one that runs is not',
  () => {
    const [left, ours] = [NO_PROCESS, process.pid].map((pid) => mkdtempSync(`/dev/shm/svc-test-${pid}-`)) as [
      string,
      string,
    ]
    try {
      removeLeftovers()
      expect([existsSync(left), existsSync(ours)]).toEqual([false, true])
    } finally {
      for (const folder of [left, ours]) rmSync(folder, { recursive: true, force: true })
    }
  },
)

it('a folder that TMPDIR names is left as it is', () => {
  const env = { TMPDIR: '/elsewhere' }
  chooseMemoryFolder(env)
  expect(env.TMPDIR).toBe('/elsewhere')
})

it.each([
  ['tmpfs /dev/shm tmpfs rw,nosuid,nodev 0 0', false],
  ['tmpfs /dev/shm tmpfs rw,nosuid,nodev,noexec,relatime 0 0', true],
  ['tmpfs /run tmpfs rw,noexec 0 0\ntmpfs /dev/shm tmpfs rw 0 0', false],
  ['', false],
])('memory in which no program may run is not used: %j', (mounts, isForbidden) => {
  expect(forbidsPrograms(mounts)).toBe(isForbidden)
})
