import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readSettings } from '../src/server/config/config.ts'

const GUIDE = readFileSync(join(import.meta.dirname, '..', 'docs', 'running.md'), 'utf8')

it('OP-02 the table of variables in docs/running.md names every setting, each once, and no other', () => {
  const [, section = ''] = GUIDE.split('\n## Variables\n')
  const rows = section.split('\n## ')[0]!.matchAll(/^\| (`[^|]+) \|/gm)
  const documented = [...rows].flatMap(([, cell]) => [...cell!.matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name!))
  expect(documented.sort()).toEqual([...readSettings({}).names].sort())
})
