import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { deployFacts } from '#test/apps/app-target.ts'
import { createDiskTotals } from './limits/disk-totals.ts'
import { DEFAULT_LIMITS } from './limits/limits.ts'
import type { Machine } from './machine.ts'
import type { RunningApp } from './sandbox/sandboxes.ts'
import { startProcess } from './start.ts'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

/** A machine whose instances go on when a server ends. `acts` has what was done with them. */
function openMachine() {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-start-test-'))
  folders.push(dataDir)
  const acts: string[] = []
  let running: RunningApp | undefined
  const newApp = (): RunningApp => {
    const gone = Promise.withResolvers<Awaited<RunningApp['gone']>>()
    return {
      socket: '/nowhere/app.sock',
      gone: gone.promise,
      replaceToken: async () => {},
      stop: () => {
        acts.push('stop')
        running = undefined
        gone.resolve({ code: 0, description: 'stopped', by: 'svc' })
      },
      kill: () => expect.fail('it ends when asked to'),
      drain: async () => void acts.push('drain'),
    }
  }
  const machineWith = (over: Partial<Machine>): Machine => ({
    dataDir,
    network: { attach: () => ({ fetch: () => expect.fail('nobody asks'), [Symbol.asyncDispose]: async () => {} }) },
    sandboxes: {
      takeUser: async () => undefined,
      freeUser: () => {},
      open: () => expect.fail('nothing is built'),
      start: async () => {
        acts.push('start')
        running = newApp()
        return running
      },
      find: async () => {
        acts.push('find')
        return running
      },
      endOrphans: async () => {},
    },
    apiOrigin: () => 'http://127.0.0.1:8080',
    tokens: undefined,
    walls: async () => ({ bubblewrap: '/usr/bin/bwrap' }),
    limits: DEFAULT_LIMITS,
    diskTotals: createDiskTotals({ dataDir, totalBytes: 0, appIdsOf: async () => [] }),
    diskFault: async () => undefined,
    unmounted: Promise.resolve(),
    unsandboxed: 'all',
    ...over,
  })
  const lines: string[] = []
  const start = async (over: Partial<Machine> = {}) => {
    acts.length = 0
    await startProcess(
      {
        deploy: { ...deployFacts('app_1', 'dep_1'), startCommand: 'node app.js' },
        release: { deployId: 'dep_1' },
        environment: {},
        onLine: ({ text }) => void lines.push(text),
        fence: 1,
        storedLines: async () => undefined,
        onHarmful: () => {},
        signal: new AbortController().signal,
      },
      machineWith(over),
    )
    return acts
  }
  return { start, lines }
}

it('OP-07 an app that was left running goes on with a server of the same settings', async () => {
  const { start, lines } = openMachine()
  expect(await start()).toEqual(['find', 'start'])
  expect(await start()).toEqual(['find'])
  expect(lines).toEqual([])
})

it.each<[string, Partial<Machine>]>([
  ['memory', { limits: { ...DEFAULT_LIMITS, memoryBytes: 1024 * 1024 * 1024 } }],
  ['number of processes', { limits: { ...DEFAULT_LIMITS, processes: 512 } }],
  ['kind of sandbox', { walls: async () => ({ missing: 'bubblewrap is not installed' }) }],
  ['address of the API', { apiOrigin: () => 'https://svc.example.com' }],
])('OP-07 an app that was left running with another %s is stopped in order and started again', async (_, over) => {
  const { start, lines } = openMachine()
  await start()
  expect(await start(over)).toEqual(['find', 'drain', 'stop', 'start'])
  expect(lines).toEqual([
    'The settings of svc for apps have changed, so the app is stopped and started again with them.',
  ])
  expect(await start(over)).toEqual(['find'])
})
