import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readSettings } from '../../config/config.ts'
import { saveAppLimits } from '../../files/app-limits-file.ts'
import { settingsChecks } from './settings-checks.ts'

let dataDir: string
beforeAll(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'svc-limits-'))
})
afterAll(() => rmSync(dataDir, { recursive: true }))

async function findGaps(env: Record<string, string> = {}) {
  const settings = readSettings({ SVC_DATA_DIR: dataDir, ...env })
  const check = settingsChecks({ settings }).find(({ name }) => name === 'app limits')!
  return [(await check.look()) ?? []].flat()
}

it('OP-09 doctor names each limit of apps that did not bind at the last start, and what to do', async () => {
  expect((await findGaps()).map(({ action }) => action)).toEqual(['Start the server, then repeat.'])
  const gap = { message: 'No control group limits the memory of apps.', action: 'Run svc as root.' }
  saveAppLimits(dataDir, { line: 'Limits of apps: …', gaps: [gap] })
  expect(await findGaps()).toEqual([{ severity: 'warning', ...gap }])
  saveAppLimits(dataDir, { line: 'Limits of apps: …', gaps: [] })
  expect(await findGaps()).toEqual([])
})

it('OP-09 doctor says nothing of them where no apps run', async () => {
  saveAppLimits(dataDir, undefined)
  expect(await findGaps({ SVC_ALLOW_PROCESS_DEPLOYS: 'false' })).toEqual([])
})
