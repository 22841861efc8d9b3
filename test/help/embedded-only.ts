import { globSync, readFileSync } from 'node:fs'

/**
 * Tests of the embedded engine, of starts on it, and of the processes of apps. They open no store that a run on Postgres
 * and Redis would replace, so that run leaves them out instead of repeating them.
 */
export const EMBEDDED_ONLY_TESTS = [
  'src/lib/db/embedded.test.ts',
  'src/lib/db/wire-stream.test.ts',
  'src/server/areas/apps/process/hostile-app.test.ts',
  'src/server/areas/apps/process/orphans.test.ts',
  'src/server/areas/apps/process/process-target.test.ts',
  'src/server/areas/apps/process/unprivileged.test.ts',
  'src/server/areas/databases/engine/embedded/attack.test.ts',
  'src/server/areas/databases/engine/embedded/engine-life.test.ts',
  'src/server/areas/databases/engine/embedded/engine-memory.test.ts',
  'src/server/areas/databases/engine/embedded/engine.test.ts',
  'src/server/areas/databases/engine/embedded/hostile-engine.test.ts',
  'src/server/areas/databases/engine/embedded/own-answer.test.ts',
  'src/server/areas/databases/engine/embedded/wire-connection.test.ts',
  'test/journeys/embedded-start.test.ts',
  'test/journeys/full-disk.test.ts',
  'test/journeys/readme.test.ts',
  'test/journeys/start-parent.test.ts',
]

/** What a test names that opens a store: only helpers know where Postgres and Redis are. */
const MAY_OPEN_A_STORE = /#test\/|\btest\/help\/|\bSVC_TEST_|\binject\(/

/** Tests beside the source that open no store at all. They too need not run again on Postgres and Redis. */
export function findStorelessTests(): string[] {
  const tests = globSync('src/**/*.test.{ts,tsx}').map((path) => path.replaceAll('\\', '/'))
  return tests.filter((path) => !MAY_OPEN_A_STORE.test(readFileSync(path, 'utf8')))
}
