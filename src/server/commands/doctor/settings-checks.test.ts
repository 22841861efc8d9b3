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

it('OP-09 doctor says where mails are in the words of the client, and names mailed links only without a provider', async () => {
  const look = async (env: Record<string, string> = {}) => {
    const check = settingsChecks({ settings: readSettings({ SVC_DATA_DIR: dataDir, ...env }) })
    return [(await check.find(({ name }) => name === 'mail')!.look()) ?? []].flat()[0]?.message
  }
  const mailbox =
    'No mail server is configured: mails are in the local mailbox, /mailbox of the console, which owners open on the machine of the server.'
  expect(await look()).toBe(`${mailbox} Mails with sign-in links are in ${join(dataDir, 'sign-in-mails')}.`)
  expect(
    await look({
      SVC_GOOGLE_CLIENT_ID: 'id',
      SVC_GOOGLE_CLIENT_SECRET: 'secret',
      SVC_REDIRECT_BASE_URL: 'https://svc.test',
    }),
  ).toBe(mailbox)
})

it('OP-09 doctor says nothing of them where no apps run', async () => {
  saveAppLimits(dataDir, undefined)
  expect(await findGaps({ SVC_ALLOW_PROCESS_DEPLOYS: 'false' })).toEqual([])
})
