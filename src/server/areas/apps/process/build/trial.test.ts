import { existsSync, mkdirSync, readdirSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestTarget, sourceOf, type TestTarget } from '#test/apps/app-target.ts'
import { needs } from '#test/stores.ts'
import { until } from '#test/until.ts'

const MIB = 1024 * 1024
const PASSED = { type: 'passed' }

type Tried = {
  files?: Record<string, string>
  build?: string | null
  test?: string | null
  runs?: number
  signal?: AbortSignal
}

function trialOf(target: TestTarget, { files = {}, build = null, test, runs = 1, signal }: Tried) {
  return target.target.runTrial({
    orgId: 'org_1',
    appId: 'app_1',
    files: sourceOf(files),
    buildCommand: build,
    testCommand: test,
    testRuns: runs,
    signal: signal ?? new AbortController().signal,
  })
}

needs('bubblewrap')('a trial', () => {
  let target: TestTarget
  beforeAll(() => {
    target = openTestTarget({
      apiOrigin: () => 'http://localhost:1024',
      limits: { trialMs: 60_000, buildMemoryBytes: 300 * MIB, processes: 60 },
    })
  })
  afterAll(async () => {
    expect(readdirSync(join(target.dataDir, 'trials'))).toEqual([])
    await target[Symbol.asyncDispose]()
  })

  it('MA-10 builds, then runs the tests on what was built, and keeps nothing', async () => {
    const files = { 'package.json': '{"scripts": {"test": "grep -q made made.txt"}}' }
    const build = 'echo made > made.txt'
    expect(await trialOf(target, { files, build, test: 'npm test' })).toEqual({ build: PASSED, test: PASSED })
    expect(await trialOf(target, { files, build })).toEqual({ build: PASSED })
    expect(await trialOf(target, { files, build: null, test: null })).toEqual({
      build: { type: 'absent' },
      test: { type: 'absent' },
    })
  })

  it('MA-10 says how a build failed and what it wrote last, and runs no tests after it', async () => {
    expect(await trialOf(target, { build: 'echo one; echo two >&2; exit 3', test: 'echo never' })).toEqual({
      build: {
        type: 'failed',
        needsNetwork: false,
        reason: 'exit code 3',
        output: expect.stringMatching(/^(?:one\ntwo|two\none)$/),
      },
      test: { type: 'not_run', reason: 'the app was not built' },
    })
  })

  it('MA-16 repeats tests on one build, each time as the build left it', async () => {
    const build = 'echo built > runs.txt; echo built > $HOME/runs.txt'
    const test = 'for file in runs.txt $HOME/runs.txt /tmp/runs.txt; do echo run >> $file; cat $file; done'
    const run = { result: 'passed', reason: 'exit code 0', output: 'built\nrun\nbuilt\nrun\nrun' }
    expect(await trialOf(target, { build, test, runs: 3 })).toEqual({
      build: PASSED,
      test: PASSED,
      testRuns: [run, run, run],
    })
  })

  it.each([
    [
      'a program that uses proxies and says nothing',
      `node -e "fetch('http://example.com').then(r => process.exit(r.ok ? 0 : 1))"`,
    ],
    [
      'a program that connects itself',
      `node -e "require('net').connect(80, '192.0.2.1').on('error', e => { throw e })"`,
    ],
    ['a program that looks up a name', `node -e "require('dns').lookup('example.com', e => { throw e })"`],
    ['npm', 'npm install --no-package-lock left-pad@1.3.0'],
  ])('MA-10 knows that a build needs the network: %s', async (_, build) => {
    expect(await trialOf(target, { build })).toMatchObject({ build: { type: 'failed', needsNetwork: true } })
  })

  it('MA-10 gives a build neither our environment nor a way to svc, and lets it write only into its own folder', async () => {
    const places = ['/', '/etc', '/usr', '/svc/bin', '/svc/out', target.dataDir]
    const script = `
      const names = Object.keys(process.env).filter((name) => name.startsWith('SVC_') || name === 'DATABASE_URL')
      const sockets = require('fs').readdirSync('/svc/out')
      if (names.length + sockets.length > 0) throw new Error(names.concat(sockets).join())
      require('net').connect(1024, '127.0.0.1').on('connect', () => process.exit(4)).on('error', () => process.exit(0))`
    const touch = places.map((place) => `touch ${place}/escaped 2>/dev/null`).join('; ')
    const build = `${touch}; touch inside && node a.js`
    expect(await trialOf(target, { files: { 'a.js': script }, build })).toEqual({ build: PASSED })
    expect(places.filter((place) => existsSync(join(place, 'escaped')))).toEqual([])
  })

  it('MA-10 bounds processes and memory of a build', async () => {
    const forks = await trialOf(target, { build: 'for i in $(seq 200); do sleep 60 & done; exit 1' })
    expect(forks).toMatchObject({ build: { type: 'failed', needsNetwork: false } })
    const memory = await trialOf(target, { build: `node -e "const a = []; for (;;) a.push(Buffer.alloc(1 << 20, 1))"` })
    expect(memory).toMatchObject({ build: { type: 'failed', reason: 'killed: it used more than 300 MB of memory' } })
  })

  it('MA-06 ends at once when it is aborted, also while it waits for another', async () => {
    const aborted = new AbortController()
    const running = trialOf(target, { build: 'echo begun; sleep 1000', signal: aborted.signal })
    const waiting = trialOf(target, { build: 'true', signal: aborted.signal })
    await until(() => readdirSync(join(target.dataDir, 'trials')).some((name) => isRunning(target, name)))
    const reason = new Error('switched off')
    aborted.abort(reason)
    const rejected = { status: 'rejected', reason }
    expect(await Promise.allSettled([running, waiting])).toEqual([rejected, rejected])
    expect(await trialOf(target, { build: 'true' })).toEqual({ build: PASSED })
  })

  it('removes what a killed server left', async () => {
    const left = join(target.dataDir, 'trials', 'trial-left')
    mkdirSync(join(left, 'running'), { recursive: true })
    utimesSync(left, new Date(0), new Date(0))
    await trialOf(target, { build: 'true' })
    expect(existsSync(left)).toBe(false)
  })
})

const isRunning = ({ dataDir }: TestTarget, name: string) =>
  existsSync(join(dataDir, 'trials', name, 'running', 'process.first'))

needs('bubblewrap')('a trial that does not end', () => {
  it('MA-10 is ended when its time is over', async () => {
    await using target = openTestTarget({ limits: { trialMs: 500 } })
    expect(await trialOf(target, { build: 'while :; do :; done' })).toEqual({
      build: { type: 'failed', needsNetwork: false, reason: 'killed: it took more than 0.5 seconds', output: '' },
    })
  })

  it('MA-16 is not repeated, and gives no result', async () => {
    await using target = openTestTarget({ limits: { trialMs: 500 } })
    const { testRuns } = await trialOf(target, { test: 'while :; do :; done', runs: 3 })
    expect(testRuns).toEqual([{ result: 'ended', reason: 'killed: it took more than 0.5 seconds', output: '' }])
  })
})

describe('a trial without bubblewrap', () => {
  it('MA-10 runs nothing', async () => {
    await using target = openTestTarget({ bubblewrapPlaces: [] })
    const missing = { type: 'not_run', reason: 'there is no sandbox: bubblewrap is not installed' }
    expect(await trialOf(target, { build: 'touch ran', test: 'touch ran' })).toEqual({ build: missing, test: missing })
    expect(existsSync(join(target.dataDir, 'trials'))).toBe(false)
  })
})
