import { existsSync, globSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'

/**
 * Tests of the embedded engine, of starts on it, of the processes of apps, and of programs such as shells and tar. They
 * open no store that a run on Postgres and Redis would replace, so that run leaves them out instead of repeating them.
 *
 * Journeys in a browser are the other way round: CI runs them on Postgres and Redis only, because its embedded steps have
 * no SVC_TEST_CHROMIUM. A page does not know which store is behind its operations, and the operations themselves run on
 * both kinds. Journeys through a browser that belong to the embedded start (the sign-in code, the local mailbox) start
 * their own server on it, whatever the stores of the run.
 */
export const EMBEDDED_ONLY_TESTS = [
  'src/cli/completion/completion.test.ts',
  'src/cli/source/source.test.ts',
  'src/lib/db/embedded/embedded.test.ts',
  'src/lib/db/embedded/wire-stream.test.ts',
  'src/server/areas/apps/keeper/keeper.test.ts',
  'src/server/areas/apps/process/build/trial.test.ts',
  'src/server/areas/apps/process/hostile-app.test.ts',
  'src/server/areas/apps/process/identity.test.ts',
  'src/server/areas/apps/process/orphans.test.ts',
  'src/server/areas/apps/process/process-target.test.ts',
  'src/server/areas/apps/process/unprivileged.test.ts',
  'src/server/areas/apps/revisions/tar/read-tar.test.ts',
  'src/server/areas/databases/engine/embedded/attack.test.ts',
  'src/server/areas/databases/engine/embedded/engine-life.test.ts',
  'src/server/areas/databases/engine/embedded/engine-memory.test.ts',
  'src/server/areas/databases/engine/embedded/engine.test.ts',
  'src/server/areas/databases/engine/embedded/hostile-engine.test.ts',
  'src/server/areas/databases/engine/embedded/own-answer.test.ts',
  'src/server/areas/databases/engine/embedded/wire-connection.test.ts',
  'src/server/areas/maintenance/proposals/validate/prove.test.ts',
  'test/descriptors.test.ts',
  'test/help/suite/rewind/rewind.test.ts',
  'test/journeys/apps-outlive.test.ts',
  'test/journeys/backup.test.ts',
  'test/journeys/embedded-start.test.ts',
  'test/journeys/full-disk.test.ts',
  'test/journeys/readme.test.ts',
  'test/journeys/sends-nothing.test.ts',
  'test/journeys/start-parent.test.ts',
  'test/journeys/stop-while-starting.test.ts',
  'test/upgrades/embedded.test.ts',
]

/**
 * The commands of guides and skills, word for word. A command does not know which store is behind its operations, and the
 * operations themselves run on both kinds, so these run once, on the default that a reader of the guides has.
 */
export const COMMAND_TESTS = ['test/journeys/guides.test.ts', 'test/journeys/skill-recipes.test.ts']

/**
 * Tests whose subject is beside the store: a protocol, the targets of apps, the sandbox that a change is built in, and
 * detectors and models that read logs and sources. They need some store, and the tests of the operations that they use
 * run on both kinds (`host.test.ts`, `act.test.ts`, `runs.test.ts`, `findings.test.ts`), so these run once.
 */
export const ANY_STORE_TESTS = [
  'src/server/areas/apps/host/targets.test.ts',
  'src/server/areas/maintenance/proposals/build.test.ts',
  'test/conformance/conformance.test.ts',
  'test/faults/faults.test.ts',
  'test/faults/model.test.ts',
]

/** The helper that knows where Postgres and Redis are. A test that does not reach it can open neither. */
const KNOWS_THE_STORES = 'test/help/stores.ts'
/** Ways around that helper. */
const NAMES_A_STORE = /\bSVC_TEST_|\binject\(/
const IMPORT = /\b(?:from|import)\b[ (]*'(#test|\.{1,2})\/([^']+\.ts)'/g

/** Tests that open no store at all, not even through a helper. They too need not run again on Postgres and Redis. */
export function findStorelessTests(): string[] {
  const tests = globSync(['src/**/*.test.{ts,tsx}', 'test/**/*.test.ts']).map((path) => path.replaceAll('\\', '/'))
  const reaches = new Map<string, boolean>()
  return tests.filter((path) => !mayOpenAStore(path, reaches))
}

/** Follows imports among tests and their helpers only, because test/layers.test.ts lets no other file import a helper. */
function mayOpenAStore(path: string, reaches: Map<string, boolean>): boolean {
  const found = reaches.get(path)
  if (found !== undefined) return found
  // Set before the walk, so that helpers that import each other end it.
  reaches.set(path, path === KNOWS_THE_STORES)
  const text = readFileSync(path, 'utf8')
  const imported = [...text.matchAll(IMPORT)].map(([, from, file]) =>
    from === '#test' ? `test/help/${file}` : posix.join(posix.dirname(path), from!, file!),
  )
  // Some tests hold imports of files that do not exist, as text.
  const helpers = imported.filter((file) => file.startsWith('test/') && existsSync(file))
  const answer =
    path === KNOWS_THE_STORES || NAMES_A_STORE.test(text) || helpers.some((file) => mayOpenAStore(file, reaches))
  reaches.set(path, answer)
  return answer
}
