import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { orAborted } from '#lib/async/race.ts'
import { layoutOf } from '../layout.ts'
import { DEFAULT_LIMITS } from '../limits/limits.ts'
import { createSandboxMachine, startApp } from './sandboxes.ts'

const OPTIONS = {
  orgId: 'org_1',
  appId: 'app_1',
  deployId: 'dep_1',
  fence: 1,
  folder: '/release',
  memoryBytes: 1,
  limits: DEFAULT_LIMITS,
  apiOrigin: undefined,
  token: undefined,
  mayBeUnsandboxed: true,
  command: 'node app.js',
  variables: {},
  onLine: () => {},
}

it('OP-07 a start that waits for its way out ends when it is not needed any more, and leaves nothing', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-sandboxes-test-'))
  const stopping = new AbortController()
  const machine = createSandboxMachine({
    dataDir,
    network: {
      attach: () => {
        throw new Error('it runs')
      },
      openProxy: (_facts, _onRefused, signal) => {
        stopping.abort(new Error('the server stops'))
        return orAborted(new Promise<never>(() => {}), signal!)
      },
    },
  })
  await expect(startApp(OPTIONS, machine, stopping.signal)).rejects.toThrow('the server stops')
  expect(readdirSync(layoutOf(dataDir, 'app_1').running)).toEqual([])
  rmSync(dataDir, { recursive: true })
})
