/**
 * Tests of the embedded engine itself. They open no store that a run on Postgres and Redis would replace, so that run
 * leaves them out instead of repeating them.
 */
export const EMBEDDED_ONLY_TESTS = [
  'src/lib/db/embedded.test.ts',
  'src/lib/db/wire-stream.test.ts',
  'src/server/areas/databases/engine/embedded/engine-memory.test.ts',
  'src/server/areas/databases/engine/embedded/engine.test.ts',
  'src/server/areas/databases/engine/embedded/hostile-engine.test.ts',
  'src/server/areas/databases/engine/embedded/own-answer.test.ts',
  'src/server/areas/databases/engine/embedded/wire-connection.test.ts',
]
