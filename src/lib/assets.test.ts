import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { assets, WORKERS, type WorkerName } from './assets.ts'

it('files that are not imported are where it says, in a checkout', () => {
  expect(assets.bundled).toBe(false)
  for (const name of Object.keys(WORKERS) as WorkerName[])
    expect([name, existsSync(assets.worker(name))]).toEqual([name, true])
  expect(readdirSync(assets.migrations('lib'))).toContain('0001_spine.sql')
  expect(readdirSync(assets.migrations('auth')).length).toBeGreaterThan(0)
  expect(JSON.parse(readFileSync(assets.packageJson(), 'utf8'))).toMatchObject({ name: 'svc' })
})

it('the console is there when somebody built it', () => {
  const folder = assets.console()
  expect(folder === undefined || existsSync(join(folder, 'index.html'))).toBe(true)
})
