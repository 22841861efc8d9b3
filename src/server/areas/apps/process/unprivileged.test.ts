import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { needs } from '#test/stores.ts'
import { type SandboxPlaces, sandboxCommand } from './sandbox/sandbox-command.ts'
import { systemCallFilter } from './sandbox/system-call-filter.ts'

const NOBODY = 65_534
const LIMITS = { tmpfsBytes: 1024 * 1024, processes: 40, openFiles: 100, hasCpuGroup: false }

/** Runs in place of our script, reports what it may do, and holds its processes until its input ends. */
const SCRIPT = `
import { spawnSync, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
const tried = (work) => { try { return work() ?? 'done' } catch (error) { return error.code } }
let count = 0
while (await new Promise((resolve) => {
  const child = spawn('sleep', ['1000'], { stdio: 'ignore' })
  child.once('spawn', () => resolve(true)).once('error', () => resolve(false))
})) count++
console.log(JSON.stringify({
  uid: process.getuid(),
  count,
  release: tried(() => writeFileSync('/app/x', '')),
  scratch: tried(() => writeFileSync('/tmp/x', '')),
  root: tried(() => writeFileSync('/x', '')),
}))
process.stdin.resume().on('end', () => process.exit())
`

needs('bubblewrap')('a sandbox where svc is not root', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-unprivileged-'))
  const place = (name: string) => join(folder, name)
  let places: SandboxPlaces
  beforeAll(() => {
    chmodSync(folder, 0o755)
    // Copies, because the folders that they are in may be closed to other users.
    copyFileSync(process.execPath, place('node'))
    writeFileSync(place('script.mjs'), SCRIPT)
    for (const name of ['app', 'run', 'out', 'etc', 'data']) mkdirSync(place(name), { mode: 0o755 })
    for (const name of ['passwd', 'group', 'hosts', 'nsswitch.conf']) writeFileSync(join(place('etc'), name), '')
    if (process.getuid?.() === 0) for (const name of ['app', 'run']) chownSync(place(name), NOBODY, NOBODY)
    const folders = {
      app: place('app'),
      run: place('run'),
      out: place('out'),
      etc: place('etc'),
      dataDir: place('data'),
    }
    places = {
      ...folders,
      bubblewrap: '/usr/bin/bwrap',
      node: place('node'),
      npm: undefined,
      script: place('script.mjs'),
      isAppWritable: false,
      home: undefined,
      identity: undefined,
    }
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  function open() {
    const { file, args, options } = sandboxCommand(places, LIMITS, undefined)
    const isRoot = process.getuid?.() === 0
    const child = spawn(file, args, {
      env: { PATH: '/usr/bin:/bin' },
      cwd: '/',
      stdio: ['pipe', 'pipe', 'inherit', 'pipe', 'pipe', 'ignore', 'pipe'],
      ...(isRoot && { uid: NOBODY, gid: NOBODY }),
    })
    const streams: readonly unknown[] = child.stdio
    ;(streams[4] as Writable).end(systemCallFilter(process.arch))
    ;(streams[6] as Writable).end(options)
    ;(child.stdio[3] as Readable).resume()
    const report = once(child.stdout!, 'data').then(([bytes]) => JSON.parse(String(bytes)) as Record<string, unknown>)
    const close = async () => {
      child.stdin!.end()
      await Promise.all([once(child, 'exit'), text(child.stdout!)])
    }
    return { report, close }
  }

  it('MA-15 holds the app to its processes and its tmpfs, and counts those of each sandbox apart', async () => {
    const first = open()
    const report = await first.report
    expect(report).toMatchObject({ uid: 1000, release: 'EROFS', scratch: 'done', root: 'EROFS' })
    expect(report.count).toBeGreaterThan(5)
    expect(report.count).toBeLessThan(40)
    const second = open()
    expect((await second.report).count).toBeGreaterThan(5)
    await Promise.all([first.close(), second.close()])
  })
})
