import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { expect, it } from 'vitest'
import { chooseMemoryFolder } from './memory-folder.ts'

/** Larger than any id that Linux gives to a process. */
const NO_PROCESS = 2 ** 22 + 1

it.runIf(existsSync('/dev/shm'))(
  'a folder that a killed run left in memory is removed, and a folder of ours is not',
  () => {
    const [left, ours] = [`/dev/shm/svc-test-${NO_PROCESS}-left`, process.env.TMPDIR]
    const env: NodeJS.ProcessEnv = {}
    mkdirSync(left, { recursive: true })
    try {
      chooseMemoryFolder({ TMPDIR: '/elsewhere' })
      expect(existsSync(left)).toBe(true)
      chooseMemoryFolder(env)
      expect(existsSync(left)).toBe(env.TMPDIR === undefined)
      if (ours !== undefined) expect(existsSync(ours)).toBe(true)
    } finally {
      rmSync(left, { recursive: true, force: true })
      if (env.TMPDIR !== undefined) rmSync(env.TMPDIR, { recursive: true })
    }
  },
)
