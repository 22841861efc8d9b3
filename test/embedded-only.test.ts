import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ANY_STORE_TESTS, COMMAND_TESTS, EMBEDDED_ONLY_TESTS, findStorelessTests } from '#test/suite/embedded-only.ts'

it.each(EMBEDDED_ONLY_TESTS)('%s, which a run on real stores leaves out, opens none of them', (file) => {
  const text = readFileSync(join(import.meta.dirname, '..', file), 'utf8')
  expect(text).not.toMatch(/#test\/(?:database|system|own-postgres)\.ts/)
  expect(text).not.toMatch(/\b(?:needs\('|stores\.)(?:postgres|redis)/)
})

it.each([...COMMAND_TESTS, ...ANY_STORE_TESTS])('%s, which a run on real stores leaves out, is there', (file) => {
  expect(existsSync(join(import.meta.dirname, '..', file))).toBe(true)
})

it('a test that reaches the stores through no helper runs once, all others on the real stores too', () => {
  const once = findStorelessTests()
  expect(once).toContain('src/contract/core/errors.test.ts')
  // It names a helper that opens no store.
  expect(once).toContain('src/edge/listen/body-rate.test.ts')
  expect(once).not.toContain('src/lib/db/db.test.ts')
  expect(once).not.toContain('src/lib/kv/kv.test.ts')
  // Only its helper opens a database.
  expect(once).not.toContain('src/cli/commands/tickets/tickets.test.ts')
  // It needs a program that the run on real stores installs.
  expect(once).not.toContain('src/cli/source/source.test.ts')
})
