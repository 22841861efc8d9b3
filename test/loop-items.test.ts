import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

/** Loops over items that need no `createAttempts`, each with the reason. */
const OTHERWISE: Readonly<Record<string, string>> = {
  'src/server/areas/activity/retention.ts': 'its items are partitions, in which all organizations are together',
  'src/server/areas/apps/logs/retention.ts': 'removes rows by their keys and reads nothing of them',
  'src/server/areas/apps/manage/delete.ts': 'removes rows by their keys and reads nothing of them',
  'src/server/areas/apps/revisions/collect.ts': 'removes rows by their keys and reads nothing of them',
  'src/server/areas/data-sources/measure/loop.ts': 'postpones a source whose measurement failed',
  'src/server/areas/data-sources/watch/loop.ts': 'postpones a source that could not be looked at',
  'src/server/areas/maintenance/retention.ts': 'its items are tables',
  'src/server/areas/maintenance/watch/loop.ts': 'throws the faults of proposals after all of them',
  'src/server/areas/notifications/retention/loop.ts': 'its items are tables',
  'src/server/areas/pipelines/calls/sweep.ts': 'goes on after a fault itself',
  'src/server/areas/pipelines/schedule/loop.ts': 'goes on after a fault itself',
}

it('NO-01 a loop over items of several organizations lets none that fails hold up the others', () => {
  const files = globSync('src/server/**/*.ts', { cwd: ROOT }).map((path) => path.replaceAll('\\', '/'))
  const loops = files.filter(
    (path) => !path.endsWith('.test.ts') && /\btick\b/.test(read(path)) && /\bfor (?:await )?\(/.test(read(path)),
  )
  const unguarded = loops.filter((path) => !read(path).includes('createAttempts('))
  expect(unguarded.toSorted()).toEqual(Object.keys(OTHERWISE).toSorted())
})
