import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApp } from '#contract/apps/apps.ts'
import { runSvc } from '#test/programs/cli-run.ts'
import { type System, startSystem } from '#test/system.ts'

let system: System
let token: string
beforeAll(async () => {
  system = await startSystem()
  token = (await system.member('developer')).token
  await system.client(token).call(createApp, { alias: 'shop' })
})
afterAll(() => system?.[Symbol.asyncDispose]())

const svc = (...args: string[]) => runSvc(['checks', ...args], { env: { SVC_API_URL: system.url, SVC_API_KEY: token } })
const YEARLY = ['--cron', '0 0 1 1 *']
const LOG = ['--kind', 'log', '--text', 'backup done']

describe('MA-15 svc checks', () => {
  it('creates, runs, lists, shows, changes, pauses, resumes and deletes', async () => {
    expect(await svc('list', 'shop')).toMatchObject({
      exit: 0,
      stdout: '',
      stderr: 'shop has no checks yet. Create one: svc checks create shop "Front page" --target /\n',
    })
    const created = await svc('create', 'shop', 'Backup', ...LOG, '--min', '1', '--threshold', '2', ...YEARLY)
    expect(created).toMatchObject({
      exit: 0,
      stdout: expect.stringMatching(/^Created the check Backup \(chk_\w+\)\.\n$/),
    })
    expect(created.stderr).toMatch(/^It runs next at \d{4}-01-01T00:00:00\.000Z\.\n$/)
    expect((await svc('history', 'shop', 'Backup')).stderr).toBe(
      'The check has not run yet. Run it: svc checks run shop "Backup"\n',
    )
    expect(await svc('run', 'shop', 'Backup')).toMatchObject({
      exit: 1,
      stdout: 'fail: 0 lines matched in 15 minutes; at least 1 must.\n',
    })
    const [, listed] = (await svc('list', 'shop')).stdout.split('\n')
    expect(listed!.split(/ {2,}/).slice(0, 4)).toEqual(['Backup', 'log', 'failing (1 of 2)', '0 0 1 1 * UTC'])
    expect(await svc('change', 'shop', 'Backup', '--min', '0', '--every', '1440', '--name', 'Backup 2')).toMatchObject({
      exit: 0,
      stdout: 'Changed the check Backup 2.\n',
    })
    expect(await svc('run', 'shop', 'Backup 2')).toMatchObject({
      exit: 0,
      stdout: 'pass: 0 lines matched in 15 minutes.\n',
    })
    const shown = (await svc('show', 'shop', 'Backup 2')).stdout
    expect(shown).toMatch(/\nState +pass, \S+Z\nKind +log\nText +backup done\n/)
    expect(shown).toMatch(/\nMin count +0\nSchedule +every 1440 minutes\nThreshold +2\nLast run +pass, \S+Z\n/)
    expect((await svc('pause', 'shop', 'Backup 2')).stdout).toBe('Paused the check Backup 2.\n')
    expect((await svc('list', 'shop')).stdout).toContain('paused (pass)')
    expect((await svc('resume', 'shop', 'Backup 2')).stdout).toBe('Resumed the check Backup 2.\n')
    const history = JSON.parse((await svc('history', 'shop', 'Backup 2', '--json')).stdout)
    expect(history.items.at(-1)).toMatchObject({ verdict: 'fail', trigger: 'manual' })
    expect((await svc('history', 'shop', 'Backup 2')).stdout).toContain('0 lines matched in 15 minutes')
    expect((await svc('delete', 'shop', 'Backup 2')).exit).toBe(5)
    expect((await svc('delete', 'shop', 'Backup 2', '--yes')).stdout).toBe('Deleted the check Backup 2.\n')
    expect((await svc('show', 'shop', 'Backup 2')).exit).toBe(4)
  })

  it('queues a run without waiting for its verdict', async () => {
    await svc('create', 'shop', 'Front', '--target', '/', ...YEARLY)
    expect(await svc('run', 'shop', 'Front', '--no-wait')).toMatchObject({
      exit: 0,
      stdout: expect.stringMatching(/^Queued the run ckr_\w+\.\n$/),
    })
  })

  it.each([
    [['create', 'shop', 'No', '--min', '3'], '--min is for checks of kind log, not http.'],
    [
      ['create', 'shop', 'No', '--kind', 'http', '--window', '3'],
      '--window is for checks of kind log or agent, not http.',
    ],
    [['create', 'shop', 'No', '--target', '/', '--every', '5', ...YEARLY], 'Give either --every or --cron, not both.'],
    [['create', 'shop', 'No', '--target', '/', '--timezone', 'UTC'], '--timezone needs --cron.'],
    [['create', 'shop', 'No'], '--target: required'],
    [['change', 'shop', 'Front'], 'Nothing to change.'],
    [['change', 'shop', 'Front', '--text', 'x'], '--text is for checks of kind log, not http.'],
  ])('refuses %j with exit 5', async (args, message) => {
    expect(await svc(...args)).toMatchObject({ exit: 5, stdout: '', stderr: expect.stringContaining(message) })
  })
})
