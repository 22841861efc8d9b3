import { once } from 'node:events'
import { expect, it } from 'vitest'
import type { AppTrial, TrialTime } from '#ports/app-trials.ts'
import { runInTime } from './run-in-time.ts'
import type { TrialRequest } from './trial.ts'

const reason = 'the builds and tests for this change took more than 15 minutes together'
const OVER: AppTrial = { build: { type: 'not_run', reason }, test: { type: 'not_run', reason } }
const PASSED: AppTrial = { build: { type: 'passed' }, test: { type: 'passed' } }

function timeOf(leftMs: number): TrialTime & { readonly spent: number[] } {
  const spent: number[] = []
  return { minutes: 15, leftMs: () => leftMs, spend: (ms) => spent.push(ms), spent }
}

const requestOf = (time: TrialTime | undefined, signal = new AbortController().signal): TrialRequest => ({
  orgId: 'org_1',
  appId: 'app_1',
  files: (async function* () {})(),
  buildCommand: null,
  testCommand: 'npm test',
  ...(time && { time }),
  signal,
})

async function hang({ signal }: TrialRequest): Promise<AppTrial> {
  if (!signal.aborted) await once(signal, 'abort')
  signal.throwIfAborted()
  return PASSED
}

it('MA-16 a trial that takes longer than all trials of a change may is ended, and counts as not run', async () => {
  const time = timeOf(1)
  expect(await runInTime(requestOf(time), hang)).toEqual(OVER)
  expect(time.spent).toEqual([expect.any(Number)])
})

it('MA-16 no trial begins when the time of its change is over', async () => {
  const neverRun = () => Promise.reject(new Error('it was run'))
  expect(await runInTime(requestOf(timeOf(0)), neverRun)).toEqual(OVER)
  expect(await runInTime({ ...requestOf(timeOf(0)), testCommand: undefined }, neverRun)).toEqual({ build: OVER.build })
})

it('MA-16 a trial in time is what it was, and a fault or an abort stays one', async () => {
  expect(await runInTime(requestOf(timeOf(900_000)), async () => PASSED)).toEqual(PASSED)
  const fault = new Error('a fault of svc')
  await expect(runInTime(requestOf(timeOf(900_000)), () => Promise.reject(fault))).rejects.toBe(fault)
  const off = new Error('switched off')
  await expect(runInTime(requestOf(timeOf(900_000), AbortSignal.abort(off)), hang)).rejects.toBe(off)
})
