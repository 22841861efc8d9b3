import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { appThat, ask, openTestTarget, sourceOf, type TestTarget } from '#test/apps/app-target.ts'
import { needs } from '#test/stores.ts'
import { until } from '#test/until.ts'

const TOKEN_FILE = '/var/run/secrets/svc/token'
/** Prints the name of the token's file, if the environment has one, and everything that looks like one. */
const LOOK = `echo "file=$SVC_WORKLOAD_TOKEN_FILE"; ls -d /var/run/secrets 2>/dev/null; echo looked`

const MODES = [
  { mode: 'in bubblewrap', suite: needs('bubblewrap'), places: undefined },
  { mode: 'without bubblewrap', suite: describe, places: [] },
]

for (const { mode, suite, places } of MODES) {
  suite(`the token of an app ${mode}`, () => {
    let test: TestTarget
    let signed = 0
    beforeAll(() => {
      const sign = (workload: object) => `${Object.values(workload).join(' ')} ${++signed}`
      test = openTestTarget({ tokens: { sign, replaceMs: 20 }, ...(places && { bubblewrapPlaces: places }) })
    })
    afterAll(() => test[Symbol.asyncDispose]())

    it('AU-15 a live instance has one of its organization, app and deploy, which is replaced while it runs', async () => {
      const app = await test.serve(appThat(`return fs.readFileSync(process.env.SVC_WORKLOAD_TOKEN_FILE, 'utf8')`))
      const first = await ask(app)
      expect(first).toMatch(/^org_1 app_1 dep_serve\d \d+$/)
      await until(async () => (await ask(app)) !== first)
    })

    it('AU-15 the file is gone when the instance has ended', async () => {
      const app = await test.serve(appThat('return 1'), undefined, { app: 'app_ended' })
      const running = join(test.dataDir, 'apps', 'app_ended', 'running')
      const place = readdirSync(running).find((name) => name.endsWith('.place'))!
      const folder = readFileSync(join(running, place), 'utf8')
      expect(existsSync(join(folder, 'identity', 'token'))).toBe(true)
      await app.stop(0)
      expect(existsSync(folder)).toBe(false)
    })

    it('AU-15 a build has neither the file nor the variable', async () => {
      expect(await test.build('dep_build', {}, LOOK)).toMatchObject({ ok: true })
      expect(test.lines).toContain('stdout: file=')
      expect(test.lines).not.toContain('stdout: /var/run/secrets')
    })
  })
}

needs('bubblewrap')('the token of an app in its sandbox', () => {
  let test: TestTarget
  beforeAll(() => {
    test = openTestTarget({ tokens: { sign: ({ appId }) => `token of ${appId}` } })
  })
  afterAll(() => test[Symbol.asyncDispose]())

  it('AU-15 is where a pod has it, for this app alone, and cannot be changed', async () => {
    const app = await test.serve(
      appThat(`return {
        variable: process.env.SVC_WORKLOAD_TOKEN_FILE,
        token: fs.readFileSync('${TOKEN_FILE}', 'utf8'),
        mode: (fs.statSync('${TOKEN_FILE}').mode & 0o777).toString(8),
        isOwn: fs.statSync('${TOKEN_FILE}').uid === process.getuid(),
        beside: fs.readdirSync('${dirname(TOKEN_FILE)}'),
        write: tried(() => fs.writeFileSync('${TOKEN_FILE}', 'x')),
        remove: tried(() => fs.unlinkSync('${TOKEN_FILE}')),
        open: tried(() => fs.chmodSync('${TOKEN_FILE}', 0o644)),
        add: tried(() => fs.writeFileSync('${dirname(TOKEN_FILE)}/more', 'x')),
        addAbove: tried(() => fs.writeFileSync('/var/run/more', 'x')),
      }`),
      undefined,
      { app: 'app_one' },
    )
    await test.serve(appThat('return 1'), undefined, { app: 'app_other' })
    expect(await ask(app)).toEqual({
      variable: TOKEN_FILE,
      token: 'token of app_one',
      mode: '400',
      isOwn: true,
      beside: ['token'],
      write: expect.stringMatching(/^refused: (?:EACCES|EROFS)$/),
      remove: 'refused: EROFS',
      open: 'refused: EROFS',
      add: 'refused: EROFS',
      addAbove: expect.stringMatching(/^refused: (?:EACCES|EROFS)$/),
    })
  })

  it('AU-15 a variable SERVER_API_TOKEN of the app stays beside it, and wins in the worker SDK', async () => {
    const environment = { SERVER_API_TOKEN: 'svc_own' }
    const app = await test.serve(appThat('return process.env.SERVER_API_TOKEN'), undefined, { environment })
    expect(await ask(app)).toBe('svc_own')
  })

  it('AU-15 neither the build nor the tests of a proposal have it', async () => {
    const trial = await test.target.runTrial({
      orgId: 'org_1',
      appId: 'app_1',
      files: sourceOf({}),
      buildCommand: `${LOOK}; test ! -e ${TOKEN_FILE} -a -z "$SVC_WORKLOAD_TOKEN_FILE"`,
      testCommand: `${LOOK}; test ! -e ${TOKEN_FILE} -a -z "$SVC_WORKLOAD_TOKEN_FILE"`,
      signal: new AbortController().signal,
    })
    expect(trial).toEqual({ build: { type: 'passed' }, test: { type: 'passed' } })
  })
})

describe('where apps get no tokens', () => {
  it('AU-15 an app has neither the file nor the variable', async () => {
    await using test = openTestTarget({ bubblewrapPlaces: [] })
    const app = await test.serve(appThat(`return process.env.SVC_WORKLOAD_TOKEN_FILE ?? 'none'`))
    expect(await ask(app)).toBe('none')
  })
})
