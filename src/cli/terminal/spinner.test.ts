import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { readConfig } from '../command/config.ts'
import { TABLE } from '../commands.ts'
import { createCli } from './cli.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function work(env: Record<string, string>, isTTY: boolean) {
  const stderr = Object.assign(new PassThrough(), { isTTY })
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr }
  const cli = createCli(readConfig(env, { home: '/', platform: 'linux', folder: '/' }), TABLE, streams)
  const { promise, resolve } = Promise.withResolvers<string>()
  return {
    done: cli.progress('Creating docs', promise),
    finish: () => resolve('made'),
    readOutput: () => String(stderr.read() ?? ''),
  }
}

test('CL-03 long work shows a spinner on a terminal and removes it at the end', async () => {
  const { done, finish, readOutput } = work({}, true)
  vi.advanceTimersByTime(299)
  expect(readOutput()).toBe('')
  vi.advanceTimersByTime(1)
  expect(readOutput()).toBe('\r\u001b[K⠋ Creating docs')
  vi.advanceTimersByTime(80)
  expect(readOutput()).toBe('\r\u001b[K⠙ Creating docs')
  finish()
  expect(await done).toBe('made')
  expect(readOutput()).toBe('\r\u001b[K')
})

test('CL-03 off a terminal, or on one that can only print, nothing moves', async () => {
  for (const { done, finish, readOutput } of [work({}, false), work({ TERM: 'dumb' }, true)]) {
    vi.advanceTimersByTime(60_000)
    finish()
    await done
    expect(readOutput()).toBe('')
  }
})

test('CL-03 a label that changes is shown as it is at each frame', async () => {
  const stderr = Object.assign(new PassThrough(), { isTTY: true })
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr }
  const cli = createCli(readConfig({}, { home: '/', platform: 'linux', folder: '/' }), TABLE, streams)
  const { promise, resolve } = Promise.withResolvers<void>()
  let label = 'Uploading: 1 %'
  const done = cli.progress(() => label, promise)
  vi.advanceTimersByTime(300)
  expect(String(stderr.read())).toBe('\r\u001b[K⠋ Uploading: 1 %')
  label = 'Uploading: 50 %'
  vi.advanceTimersByTime(80)
  expect(String(stderr.read())).toBe('\r\u001b[K⠙ Uploading: 50 %')
  resolve()
  await done
})
