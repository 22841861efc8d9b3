import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestTarget, type TestTarget } from '#test/apps/app-target.ts'
import { NO_SANDBOX } from './unsandboxed.ts'

const folder = join(import.meta.dirname, '../../../../../../examples/hello')
const bundled = { folder, startCommand: 'node -v', variables: ['SVC_APP', 'SERVER_API_TOKEN'] }
const EXAMPLE = Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]))
const REFUSED = { ok: false, code: 'BUILD_FAILED', detail: `${NO_SANDBOX}.` }

describe('apps without a sandbox that the operator did not allow', () => {
  let test: TestTarget
  beforeAll(() => {
    test = openTestTarget({ bubblewrapPlaces: [], unsandboxed: bundled })
  })
  afterAll(() => test[Symbol.asyncDispose]())

  it('OP-09 the bundled example runs', async () => {
    const environment = { SVC_APP: 'hello', SERVER_API_TOKEN: 'token' }
    expect(await test.build('dep_example', EXAMPLE, null, { environment })).toMatchObject({ ok: true })
    const app = await test.start('dep_example', 'node -v', { environment })
    expect(await app.ended).toEqual({ description: 'exit code 0' })
    expect(test.lines).toContain(`stdout: ${process.version}`)
  })

  it.each([
    ['a changed file', { ...EXAMPLE, 'server.js': 'require("node:child_process")' }, null, {}],
    ['one more file', { ...EXAMPLE, 'more.js': '' }, null, {}],
    ['one more folder', { ...EXAMPLE, 'node_modules/a.js': '' }, null, {}],
    ['a file less', { 'server.js': EXAMPLE['server.js']! }, null, {}],
    ['a build command', EXAMPLE, 'touch /tmp/ran', {}],
    ['a variable that loads code', EXAMPLE, null, { NODE_OPTIONS: '--import data:text/javascript,1' }],
  ])('OP-09 the example with %s is refused, and nothing runs', async (_what, files, command, environment) => {
    expect(await test.build('dep_other', files, command, { environment })).toEqual(REFUSED)
    expect(await test.target.findRelease({ id: 'app_1', orgId: 'org_1' }, 'dep_other')).toBeUndefined()
  })

  it('OP-09 another command or variable is refused at the start too', async () => {
    await test.build('dep_start', EXAMPLE, null)
    await expect(test.start('dep_start', 'cat /etc/passwd')).rejects.toThrow(NO_SANDBOX)
    const environment = { LD_PRELOAD: '/tmp/own.so' }
    await expect(test.start('dep_start', 'node -v', { environment })).rejects.toThrow(NO_SANDBOX)
  })

  it('OP-09 a release that was built while everything was allowed does not start', async () => {
    const before = openTestTarget({ bubblewrapPlaces: [], dataDir: test.dataDir })
    await before.build('dep_former', { 'a.js': '' }, null)
    await expect(test.start('dep_former', 'node -v')).rejects.toThrow(NO_SANDBOX)
  })

  it('OP-09 the operator reads what to do', async () => {
    expect(await test.target.warnings()).toEqual([
      expect.stringMatching(/^No app but the bundled example can run, because bubblewrap is not installed\. Install /),
    ])
  })
})
