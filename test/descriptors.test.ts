import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { needs } from '#test/stores.ts'

type Report = Record<'app' | 'build' | 'trial' | 'engine' | 'program', string[]>

/** Beyond the descriptors that Node itself closes when it starts a program. */
const PLANTED = 40

needs('bubblewrap')('what programs inherit after the model was loaded', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-inherited-'))
  const home = join(folder, 'home')
  let report: Report
  beforeAll(async () => {
    mkdirSync(home)
    const planted = openSync(join(folder, 'planted'), 'w')
    const stdio = Array.from({ length: PLANTED }, (_, number) => (number === 1 ? 'pipe' : 'ignore') as 'pipe')
    const child = spawn(process.execPath, [join(import.meta.dirname, 'help', 'programs', 'list-descriptors.ts')], {
      // The operator's own value does not switch it on.
      env: { PATH: process.env.PATH, HOME: home, ORT_DISABLE_TELEMETRY: '0' },
      stdio: [...stdio.with(2, 'inherit' as 'pipe'), planted],
    })
    closeSync(planted)
    const [output] = await Promise.all([text(child.stdout!), once(child, 'exit')])
    report = JSON.parse(output) as Report
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it.each(['app', 'build', 'trial', 'program'] as const)(
    'OP-09 a program of kind %s gets its three descriptors',
    (kind) => {
      const numbers = report[kind].flatMap((line) => /^fd (\d+) /.exec(line)?.[1] ?? [])
      // The last one is the listing itself.
      expect(numbers).toEqual(['0', '1', '2', '3'])
    },
  )

  it.each(['app', 'build', 'trial', 'engine'] as const)(
    'OP-09 no process of kind %s holds a file of the machine',
    (kind) => {
      const held = report[kind].flatMap((line) => /^held (.*)$/.exec(line)?.[1] ?? [])
      expect(held.length).toBeGreaterThan(3)
      expect(held.filter((target) => !isOwn(target))).toEqual([])
    },
  )

  it.each(['app', 'build', 'trial'] as const)(
    'OP-09 a %s finds no path of the machine in the command lines',
    (kind) => {
      expect(report[kind].find((line) => line.startsWith('first '))).toMatch(
        /^first \/usr\/bin\/bwrap --args 6 -- (?!.*svc-)/,
      )
    },
  )

  it('OP-01 the model leaves no file in the home folder', () => {
    expect(readdirSync(home)).toEqual([])
  })
})

/** Whether it is a channel to svc, a part of Node, or a file of the engine's own database. */
function isOwn(target: string): boolean {
  return /^(?:(?:pipe|socket):\[\d+\]|anon_inode:.*|\/dev\/null|\/proc\/\d+\/fd|.*\/database\/.*|\/app\/list\.sh)$/.test(
    target,
  )
}
