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
