import { expect, it } from 'vitest'
import { createLog } from '#lib/log/log.ts'
import { finishStart } from './finish-start.ts'

function begin(make?: () => Promise<void>) {
  const lines: string[] = []
  const logged: string[] = []
  const done: string[] = []
  const stack = new AsyncDisposableStack()
  const work = {
    log: createLog('info', { write: (line: string) => void logged.push(line) }),
    print: (line: string) => void lines.push(line),
    example: make && { make },
    warm: async () => void done.push('warm'),
    app: async () => void done.push('app'),
    stopping: new AbortController().signal,
  }
  return { lines, logged, done, stack, finished: finishStart(work, stack) }
}

it('OP-01 says when the example data source is ready, then loads the model and deploys the app', async () => {
  const { lines, done, finished } = begin(async () => {})
  await finished
  expect(lines).toEqual(['the example data source is ready'])
  expect(done).toEqual(['warm', 'app'])
})

it('OP-01 an example that fails is told and logged, and the rest is done all the same', async () => {
  const { lines, logged, done, finished } = begin(() => Promise.reject(new Error('no room')))
  await finished
  expect(lines).toEqual(['the example could not be created: see the log, or turn it off with SVC_EXAMPLE=false'])
  expect(logged.join()).toContain('the example could not be created')
  expect(done).toEqual(['warm', 'app'])
})

it('OP-01 a later start, with nothing to create, prints nothing', async () => {
  const { lines, done, finished } = begin()
  await finished
  expect([lines, done]).toEqual([[], ['warm', 'app']])
})

it('OP-01 a stop while the example is made is not reported as a failure, and begins nothing more', async () => {
  const { promise, reject } = Promise.withResolvers<void>()
  const { lines, logged, done, stack, finished } = begin(() => promise)
  const stopped = stack.disposeAsync()
  reject(new Error('closed'))
  await Promise.all([stopped, finished])
  expect([lines, logged, done]).toEqual([[], [], []])
})

it('OP-03 a stop waits for the step that is under way, because that step uses what is closed next', async () => {
  const order: string[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  const stack = new AsyncDisposableStack()
  stack.defer(() => void order.push('stores closed'))
  const make = (signal: AbortSignal) => {
    signal.addEventListener('abort', () => order.push('step ends'))
    return promise.then(() => void order.push('step ended'))
  }
  const log = createLog('info', { write: (line: string) => void order.push(line) })
  const warm = async () => void order.push('warm')
  const { signal: stopping } = new AbortController()
  void finishStart({ log, print: (line) => order.push(line), example: { make }, warm, app: undefined, stopping }, stack)
  const stopped = stack.disposeAsync()
  resolve()
  await stopped
  expect(order).toEqual(['step ends', 'step ended', 'stores closed'])
})
