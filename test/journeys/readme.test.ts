import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Checkout, makeCheckout, skipNpx } from '#test/programs/checkout.ts'
import { type ServerProcess, startProcess, untilExample } from '#test/programs/processes.ts'
import { until, untilDone } from '#test/until.ts'

const run = promisify(execFile)
const README = readFileSync(join(import.meta.dirname, '..', '..', 'README.md'), 'utf8')
const [block] = /(?<=^## Try it$[\s\S]*?^```sh\n)[\s\S]*?(?=^```$)/m.exec(README)!
const COMMANDS = block.trim().split('\n')

describe('OP-01 the README, followed word for word', () => {
  let checkout: Checkout
  let server: ServerProcess

  beforeAll(async () => {
    checkout = makeCheckout()
    server = await startProcess({ PORT: '0' }, undefined, checkout.folder)
    await untilExample(server)
  })
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]()
    checkout?.[Symbol.dispose]()
  })

  const shell = (command: string) => run('sh', ['-ec', command], { cwd: checkout.folder, env: checkout.env })

  it('the first start prints the commands that the README shows', () => {
    const printed = server.output.map((line) => line.trim()).filter((line) => line.startsWith('npx svc'))
    expect(printed).toEqual(COMMANDS)
  })

  it('before the login, the question fails with the login command of the README', async () => {
    await expect(shell(COMMANDS[1]!)).rejects.toMatchObject({
      code: 3,
      stdout: '',
      stderr: `svc: You are not logged in.\nLog in: ${COMMANDS[0]}\n`,
    })
    skipNpx(checkout)
  })

  it('the login, the question and its Activity work as written', async () => {
    const [login, ask, activity] = COMMANDS
    expect((await shell(login!)).stdout).toContain(`Logged in to ${server.url} as owner in `)
    expect((await shell(ask!)).stdout).toContain('Lost or missing devices (lost-devices)')
    const calls = await untilDone(async () => {
      const { stdout } = await shell(activity!)
      if (!stdout.includes('200')) throw new Error('the result is not recorded yet')
      return stdout
    })
    expect(calls).toMatch(/db_handbook +\S+ +cli +/)
  })

  it('the example app serves the function that the README calls', async () => {
    await until(() => existsSync(join(checkout.folder, '.svc', 'example-app-made')))
    const [call] = /npx svc functions call [^`]+/.exec(README)!
    const { stdout } = await untilDone(() => shell(call))
    expect(JSON.parse(stdout)).toEqual({ text: 'Hello, Ada' })
  })
})
