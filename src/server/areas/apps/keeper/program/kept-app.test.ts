import { afterEach, expect, it, vi } from 'vitest'
import { DEFAULT_LIMITS } from '../../process/limits/limits.ts'
import type { SandboxMachine } from '../../process/sandbox/sandbox.ts'
import { KeptApp } from './kept-app.ts'

afterEach(() => vi.useRealTimers())

it('CO-03 an app that turns out harmful while it waits to be started again is not started', async () => {
  vi.useFakeTimers()
  let starts = 0
  const ended: KeptApp[] = []
  const walls: SandboxMachine['walls'] = () => {
    starts++
    return new Promise(() => {})
  }
  const app = await KeptApp.restore(
    {
      options: {
        orgId: 'org_1',
        appId: 'app_1',
        deployId: 'dep_1',
        fence: 1,
        folder: '/release',
        memoryBytes: 1,
        limits: DEFAULT_LIMITS,
        apiOrigin: undefined,
        token: undefined,
        mayBeUnsandboxed: false,
        command: 'node app.js',
        variables: {},
      },
      token: undefined,
      lines: { lines: [], forgotten: { byApp: [], bySystem: [] }, sent: 0, dropped: 0, firstAt: null, lastAt: 0 },
      shortRuns: 0,
      startedAt: Date.now(),
      endsAt: Date.now() + 60_000,
      isHarmful: false,
      sandbox: undefined,
    },
    {
      machine: { walls } as SandboxMachine,
      network: { attach: () => ({ fetch: fetch, [Symbol.asyncDispose]: async () => {} }) },
      onEnd: (one) => void ended.push(one),
    },
  )
  app.answering.onHarmful()
  vi.runAllTimers()
  expect(ended).toEqual([app])
  expect(starts).toBe(0)
})
