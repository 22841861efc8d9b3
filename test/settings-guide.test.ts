import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { providerSteps } from '../src/console/pages/home/provider-steps.ts'
import { readSettings } from '../src/server/config/config.ts'

const GUIDE = readFileSync(join(import.meta.dirname, '..', 'docs', 'running.md'), 'utf8')

it('OP-02 the table of variables in docs/running.md names every setting, each once, and no other', () => {
  const [, section = ''] = GUIDE.split('\n## Variables\n')
  const rows = section.split('\n## ')[0]!.matchAll(/^\| (`[^|]+) \|/gm)
  const documented = [...rows].flatMap(([, cell]) => [...cell!.matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name!))
  expect(documented.sort()).toEqual([...readSettings({}).names].sort())
})

it('CO-01 the console names the settings and redirect URIs of identity providers as the guide does', () => {
  for (const { redirectUri, variables } of providerSteps('https://svc.example.com')) {
    const names = [...variables.matchAll(/^(\w+)=/gm)].map(([, name]) => name!)
    expect([...readSettings({}).names]).toEqual(expect.arrayContaining(names))
    expect(GUIDE).toContain(
      redirectUri.replace(/.*(?=\/auth\/google)/, '<SVC_REDIRECT_BASE_URL>').replace(/.*(?=\/auth\/[mo])/, '…'),
    )
  }
})
