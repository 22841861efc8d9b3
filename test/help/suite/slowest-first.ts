import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Files that run for minutes, the slowest first. Vitest orders files by size where it has not seen them before, and one
 * of these that begins last keeps one process busy while the others have nothing left to do.
 */
export const SLOWEST_TESTS: readonly string[] = [
  'test/journeys/backup.test.ts',
  'test/journeys/backup-kills.test.ts',
  'test/journeys/guides.test.ts',
  'test/journeys/console-twice.test.ts',
  'test/journeys/console-session.test.ts',
  'src/server/areas/notifications/deliver/kills.test.ts',
  'src/server/areas/databases/engine/embedded/hostile-engine.test.ts',
  'test/journeys/console-roles.test.ts',
  'test/journeys/console-more.test.ts',
  'test/journeys/stop-while-starting.test.ts',
  'src/server/areas/apps/keeper/keeper.test.ts',
  'src/server/areas/databases/engine/embedded/engine-life.test.ts',
  'test/journeys/reseal.test.ts',
  'test/journeys/skill-recipes.test.ts',
  'test/journeys/embedded-start.test.ts',
  'test/journeys/apps-deploy.test.ts',
  'test/journeys/guides-site.test.ts',
  'test/journeys/traces.test.ts',
]

export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // Vitest starts a process anew where two files of different projects follow each other.
    const byProject = Map.groupBy(await super.sort(files), ({ project }) => project)
    const pathOf = ({ moduleId }: TestSpecification) => relative(this.ctx.config.root, moduleId).replaceAll('\\', '/')
    return [...byProject.values()].flatMap((group) => slowestFirst(group, pathOf))
  }
}

/** Puts the slowest files in front and leaves all others in their order. */
export function slowestFirst<T>(files: readonly T[], pathOf: (file: T) => string): T[] {
  const rank = (file: T) => (SLOWEST_TESTS.includes(pathOf(file)) ? SLOWEST_TESTS.indexOf(pathOf(file)) : Infinity)
  return files.toSorted((a, b) => (rank(a) === rank(b) ? 0 : rank(a) - rank(b)))
}
