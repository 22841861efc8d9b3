import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { shareNext } from './share-next.ts'

describe('calls with the same key', () => {
  const start = () => {
    const runs: { argument: string; done: PromiseWithResolvers<string> }[] = []
    const call = shareNext((argument: string) => {
      const done = Promise.withResolvers<string>()
      runs.push({ argument, done })
      return done.promise
    })
    return { runs, call }
  }

  it('that arrive while one runs share the next run and not its result', async () => {
    const { runs, call } = start()
    const first = call('a', '1')
    const others = [call('a', '2'), call('a', '3')]
    expect(runs.map(({ argument }) => argument)).toEqual(['1'])
    runs[0]!.done.resolve('before')
    expect(await first).toBe('before')
    await nextTurn()
    expect(runs.map(({ argument }) => argument)).toEqual(['1', '2'])
    const last = call('a', '4')
    runs[1]!.done.resolve('after')
    expect(await Promise.all(others)).toEqual(['after', 'after'])
    await nextTurn()
    runs[2]!.done.resolve('last')
    expect(await last).toBe('last')
  })

  it('run at once when none runs, and beside those of other keys', async () => {
    const { runs, call } = start()
    const answers = [call('a', '1'), call('b', '2')]
    for (const { argument, done } of runs) done.resolve(argument)
    expect(await Promise.all(answers)).toEqual(['1', '2'])
    await nextTurn()
    void call('a', '3')
    expect(runs.map(({ argument }) => argument)).toEqual(['1', '2', '3'])
  })

  it('are refused by a run that fails, which the next run does not repeat', async () => {
    const { runs, call } = start()
    const first = call('a', '1')
    const second = call('a', '2')
    runs[0]!.done.reject(new Error('refused'))
    await expect(first).rejects.toThrow('refused')
    await nextTurn()
    runs[1]!.done.resolve('good')
    expect(await second).toBe('good')
  })
})
