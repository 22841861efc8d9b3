/**
 * Tests that `npm test` leaves to `npm run test:rest`: journeys through the whole system, tests that start many processes
 * or engines, and loops that measure. Each took more than nine seconds or needs the whole system. `npm test` still proves
 * every promise; `test/promises.test.ts` says where.
 */
export const FULL_ONLY_TESTS: readonly string[] = [
  'test/journeys/**',
  'test/conformance/**',
  'test/faults/**',
  'test/contract.test.ts',
  'test/role-table.test.ts',
  'test/upgrades/embedded.test.ts',
  'src/lib/db/embedded/embedded.test.ts',
  'src/lib/db/full-disk.test.ts',
  'src/server/areas/ai/builtin/builtin-queue.test.ts',
  'src/server/areas/apps/door/app-door.test.ts',
  'src/server/areas/apps/host/targets.test.ts',
  'src/server/areas/apps/keeper/keeper.test.ts',
  'src/server/areas/apps/process/build/trial.test.ts',
  'src/server/areas/apps/process/hostile-app.test.ts',
  'src/server/areas/apps/process/process-target.test.ts',
  'src/server/areas/apps/revisions/read-archive.test.ts',
  'src/server/areas/auth/failures.test.ts',
  'src/server/areas/auth/oauth/clients/registration-capacity.test.ts',
  'src/server/areas/auth/oauth/month.test.ts',
  'src/server/areas/data-sources/ask/vanished.test.ts',
  'src/server/areas/data-sources/measure/measured.test.ts',
  'src/server/areas/databases/engine/embedded/attack.test.ts',
  'src/server/areas/databases/engine/embedded/engine-life.test.ts',
  'src/server/areas/databases/engine/embedded/engine-memory.test.ts',
  'src/server/areas/databases/engine/embedded/engine.test.ts',
  'src/server/areas/databases/engine/embedded/hostile-engine.test.ts',
  'src/server/areas/databases/engine/embedded/wire-connection.test.ts',
  'src/server/areas/databases/life/jobs.test.ts',
  'src/server/areas/maintenance/agent/agent.test.ts',
  'src/server/areas/maintenance/agent/hostile-model.test.ts',
  'src/server/areas/maintenance/proposals/build.test.ts',
  'src/server/areas/notifications/channels/chat/accounts.test.ts',
]
