import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { appRef, appThat, ask, openTestTarget, type TestTarget } from '#test/apps/app-target.ts'
import { openRegistry } from '#test/outside/fake-npm-registry.ts'
import { needs, stores } from '#test/stores.ts'
import { until } from '#test/until.ts'

const ECHO = {
  'app.js': `require('node:http').createServer((request, response) => {
    response.writeHead(201, [['X-Method', request.method], ['X-Path', request.url], ['X-Host', request.headers.host],
      ['Set-Cookie', 'a=1'], ['Set-Cookie', 'b=2'], ['X-Name', request.headers['x-name'] ?? '']])
    request.pipe(response)
  }).listen(process.env.PORT, '127.0.0.1')`,
}

/** The same guarantees with the sandbox and without. */
const MODES = [
  { mode: 'in bubblewrap', given: needs('bubblewrap'), places: undefined },
  { mode: 'without bubblewrap', given: describe, places: [] },
]

for (const { mode, given, places } of MODES) {
  given(`builds and instances ${mode}`, () => {
    let test: TestTarget
    beforeAll(() => {
      test = openTestTarget({ ...(places && { bubblewrapPlaces: places }) })
    })
    afterAll(() => test[Symbol.asyncDispose]())

    it('MA-15 a built app starts and answers with method, path, host, repeated headers and body unchanged', async () => {
      const built = await test.build('dep_echo', ECHO, `echo built > made.txt; echo done`)
      expect(built).toEqual({ ok: true, release: { deployId: 'dep_echo' } })
      expect(test.lines).toContain('stdout: done')
      const app = await test.start('dep_echo', 'cat made.txt; exec node app.js')
      const request = () =>
        new Request('http://shop--acme.test/a%20b?c=d', { method: 'PUT', body: 'hello', headers: { 'x-name': 'é' } })
      const response = await until(() => app.fetch(request()).catch(() => undefined))
      expect(test.lines).toContain('stdout: built')
      expect(response.status).toBe(201)
      expect(await response.text()).toBe('hello')
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'x-method': 'PUT',
        'x-path': '/a%20b?c=d',
        'x-host': 'shop--acme.test',
        'x-name': 'é',
      })
      expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
      await app.stop(60_000)
      expect(await app.ended).toEqual({ description: 'signal SIGTERM' })
    })

    it('MA-15 a body is passed on while it is still being sent, in both directions', async () => {
      const app = await test.serve(ECHO)
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
      const writer = writable.getWriter()
      const init = { method: 'POST', body: readable, duplex: 'half' } as const
      const answering = app.fetch(new Request('http://app.test/', init))
      await writer.write(Buffer.from('first'))
      const reader = (await answering).body!.getReader()
      expect(Buffer.from((await reader.read()).value!).toString()).toBe('first')
      for (const part of ['second', 'third']) {
        await writer.write(Buffer.from(part))
        expect(Buffer.from((await reader.read()).value!).toString()).toBe(part)
      }
      await writer.close()
      expect((await reader.read()).done).toBe(true)
    })

    it('MA-15 a request to an app that does not listen yet is refused before the app can have seen it', async () => {
      await test.build('dep_deaf', {}, null)
      const app = await test.start('dep_deaf', `trap '' TERM; while :; do sleep 1; done`)
      await expect(app.fetch(new Request('http://app.test/'))).rejects.toMatchObject({
        name: 'SocketFetchError',
        sent: false,
      })
      await app.stop(0)
      expect(await app.ended).toEqual({ description: 'killed: it did not end when asked to' })
    })

    it('MA-15 an app that ends says how, and requests to it fail', async () => {
      await test.build('dep_short', {}, null)
      const app = await test.start('dep_short', 'echo out; echo err >&2; exit 3')
      expect(await app.ended).toEqual({ description: 'exit code 3' })
      expect(test.lines).toEqual(expect.arrayContaining(['stdout: out', 'stderr: err']))
      await expect(app.fetch(new Request('http://app.test/'))).rejects.toMatchObject({ sent: false })
    })

    it.each([
      ['a zero byte', { BROKEN: 'a\0b' }],
      ['more than any process can have', { LARGE: 'x'.repeat(200_000) }],
    ])('MA-15 an app with a variable of %s ends with the reason', async (_what, environment) => {
      await test.build('dep_variable', {}, null)
      const app = await test.start('dep_variable', 'echo runs', { environment })
      expect((await app.ended).description).toMatch(/^it could not be run: /)
    })

    it('MA-15 the app gets its variables and those of its surroundings, and nothing of the server', async () => {
      process.env.SVC_TEST_ONLY_SECRET = 'TOPSECRET'
      const app = await test.serve(appThat('return process.env'), undefined, { environment: { GREETING: 'hi\n"x"' } })
      delete process.env.SVC_TEST_ONLY_SECRET
      const environment = (await ask(app)) as Record<string, string>
      expect(environment).toMatchObject({ GREETING: 'hi\n"x"', LANG: 'C.UTF-8', NODE_ENV: 'production' })
      const allowedNames =
        /^(?:GREETING|HOME|LANG|NODE_ENV|PATH|PORT|PWD|OLDPWD|TMPDIR|_|NODE_USE_ENV_PROXY|(?:https?|no)_proxy)$/i
      expect(Object.keys(environment).filter((name) => !allowedNames.test(name))).toEqual([])
    })

    it('MA-15 an app or build over its memory is ended with the reason', async () => {
      await using small = openTestTarget({
        limits: { memoryBytes: 200 * 2 ** 20, buildMemoryBytes: 250 * 2 ** 20 },
        ...(places && { bubblewrapPlaces: places }),
      })
      const command = `exec node -e 'kept = Buffer.alloc(400 << 20, 1); setInterval(() => {}, 1000)'`
      expect(await small.build('dep_large', {}, command)).toEqual({
        ok: false,
        code: 'BUILD_FAILED',
        detail: 'The build command ended: killed: it used more than 250 MB of memory.',
      })
      await small.build('dep_large', {}, null)
      const app = await small.start('dep_large', command)
      expect(await app.ended).toEqual({ description: 'killed: it used more than 200 MB of memory' })
    })

    it.each([
      ['exit code', 'echo gone wrong >&2; exit 7', 'The build command ended: exit code 7.'],
      ['missing program', 'no-such-program', 'The build command ended: exit code 127.'],
    ])('MA-15 a build that fails by %s leaves no release', async (_what, command, detail) => {
      expect(await test.build('dep_broken', {}, command)).toEqual({ ok: false, code: 'BUILD_FAILED', detail })
      expect(await test.target.findRelease(appRef('app_1'), 'dep_broken')).toBeUndefined()
      expect(readdirSync(join(test.dataDir, 'apps', 'app_1', 'builds'))).toEqual([])
    })

    it('MA-15 an aborted build ends with everything it started', async () => {
      const controller = new AbortController()
      const command = `sh -c 'echo started; sleep 1000' & wait`
      const building = test.build('dep_aborted', {}, command, { signal: controller.signal, app: 'app_aborted' })
      await until(() => test.lines.includes('stdout: started'))
      controller.abort(new Error('no longer wanted'))
      await expect(building).rejects.toThrow('no longer wanted')
      expect(readdirSync(join(test.dataDir, 'apps', 'app_aborted', 'running'))).toEqual([])
      expect(existsSync(join(test.dataDir, 'apps', 'app_aborted', 'builds', 'dep_aborted'))).toBe(false)
    })

    it('MA-15 releases stay until they are pruned, and are found again', async () => {
      for (const id of ['dep_a', 'dep_b']) await test.build(id, { 'f.txt': id }, null, { app: 'app_pruned' })
      await test.target.prune(appRef('app_pruned'), ['dep_b'])
      expect(await test.target.findRelease(appRef('app_pruned'), 'dep_a')).toBeUndefined()
      expect(await test.target.findRelease(appRef('app_pruned'), 'dep_b')).toEqual({ deployId: 'dep_b' })
      await test.target.prune(appRef('app_pruned'), [])
      expect(existsSync(join(test.dataDir, 'apps', 'app_pruned'))).toBe(false)
    })

    it('MA-15 a path that leads out of the folder is refused, though nothing should send one', async () => {
      for (const path of ['../x', '/etc/x', 'a/../../x', 'a//b', './a', 'a\0b']) {
        await expect(test.build('dep_path', { [path]: '' }, null)).rejects.toThrow('leads outside of its folder')
      }
    })

    it('MA-15 the operator is warned exactly where apps have no sandbox', async () => {
      const warnings = await test.target.warnings()
      const warned = warnings.filter((text) => !text.includes('groups of processor time'))
      expect(warned.map((text) => text.slice(0, 31))).toEqual(places ? ['Apps run WITHOUT A SANDBOX, bec'] : [])
      expect(stores.bubblewrap !== undefined || places !== undefined).toBe(true)
    })
  })
}

needs('bubblewrap')('a build that installs packages', () => {
  it('MA-15 reaches its registry through the proxy, and the app uses what was installed', async () => {
    await using registry = await openRegistry('greeting', `module.exports = 'hello from a package'`)
    // Stands for the public registry: the proxy refuses every other address of this machine.
    await using test = openTestTarget({ apiOrigin: () => registry.url })
    const files = {
      ...appThat(`return require('greeting')`),
      'package.json': JSON.stringify({ private: true, dependencies: { greeting: '1.0.0' } }),
      '.npmrc': `registry=${registry.url}/\nstrict-ssl=false\nupdate-notifier=false\naudit=false\n`,
    }
    const built = await test.build('dep_npm', files, 'npm install')
    expect(built, test.lines.join('\n')).toEqual({ ok: true, release: { deployId: 'dep_npm' } })
    expect(registry.asked).toEqual(['/greeting', '/greeting/-/greeting-1.0.0.tgz'])
    const app = await test.start('dep_npm', 'exec node app.js')
    expect(await until(() => ask(app).catch(() => undefined))).toBe('hello from a package')
  })
})
