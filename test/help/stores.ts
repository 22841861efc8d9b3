import { spawnSync } from 'node:child_process'
import { describe } from 'vitest'

/** Real stores to test against, when there are any; the embedded ones otherwise. */
export const stores = {
  postgres: process.env.SVC_TEST_DATABASE_URL,
  redis: process.env.SVC_TEST_REDIS_URL,
  chromium: process.env.SVC_TEST_CHROMIUM,
  bubblewrap: findWorkingBubblewrap(),
}

/** Marks tests that mean something only with a real store; they are skipped by name without it. */
export function needs(...names: (keyof typeof stores)[]) {
  const missing = names.filter((name) => !stores[name])
  return missing.length === 0 ? describe : describe.skip
}

/** It may be installed and still be refused by the kernel or by a container's profile. */
function findWorkingBubblewrap(): string | undefined {
  const { status } = spawnSync('/usr/bin/bwrap', ['--unshare-all', '--ro-bind', '/', '/', '/bin/true'])
  return status === 0 ? '/usr/bin/bwrap' : undefined
}
