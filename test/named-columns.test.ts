import { globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

/** `select *` of a table at the beginning of a statement, or `returning *` at its end. Inside of one it may stand. */
const STAR = /sql`\s*select (?:\w+\.)?\*\s+from \w+\.\w+|returning (?:\w+\.)?\*\s*`/g

it('OP-02 no statement has a result that a new column changes, because replicas of two releases run side by side', () => {
  const found = globSync('src/server/**/*.ts')
    .filter((path) => !path.endsWith('.test.ts'))
    .flatMap((path) => (readFileSync(path, 'utf8').match(STAR) ?? []).map((text) => `${path}: ${text}`))
  expect(found).toEqual([])
})
