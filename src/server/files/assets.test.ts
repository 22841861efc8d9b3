import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { isBundled, rootFolder, workerEntry } from '../../lib/files/bundle.ts'
import { assets, WORKERS } from './assets.ts'

it('files that are not imported are found in a checkout', () => {
  expect(isBundled).toBe(false)
  for (const source of WORKERS) expect([source, existsSync(workerEntry(source))]).toEqual([source, true])
  expect(readdirSync(assets.migrations('lib'))).toContain('0001_spine.sql')
  expect(existsSync(assets.preparedSchema())).toBe(true)
  expect(readdirSync(assets.migrations('auth')).length).toBeGreaterThan(0)
  expect(JSON.parse(readFileSync(assets.packageJson(), 'utf8'))).toMatchObject({ name: '@svc-instance/checkout' })
})

it('every source that is started as a worker is built as one', () => {
  const sources = globSync('src/**/*.ts', { cwd: rootFolder, exclude: (path) => path.endsWith('.test.ts') })
  const started = sources
    .flatMap((path) => [...readFileSync(join(rootFolder, path), 'utf8').matchAll(/workerEntry\('([^']+)'\)/g)])
    .map(([, source]) => source!)
  expect(new Set(started)).toEqual(new Set(WORKERS))
})

it('the console is found once it is built', () => {
  const folder = assets.console()
  expect(folder === undefined || existsSync(join(folder, 'index.html'))).toBe(true)
})
