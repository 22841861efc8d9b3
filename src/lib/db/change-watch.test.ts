import { expect, it } from 'vitest'
import { changeBegins, watchChanges } from './change-watch.ts'
import type { Querier } from './db.ts'

const on: Querier = { query: async () => [] }

it('marks the changes of the work, and not those of what it has woken', async () => {
  const marked: string[] = []
  const { promise: workEnded, resolve: endWork } = Promise.withResolvers<void>()
  let woken: Promise<void> | undefined
  const work = async () => {
    await changeBegins('svc 1', on)
    woken = workEnded.then(() => changeBegins('svc 1', on))
    return 'done'
  }
  const ran = await watchChanges({ instance: 'svc 1', mark: async () => marked.push('marked') }, work)
  endWork()
  await woken
  expect([ran, marked]).toEqual([{ value: 'done' }, ['marked']])
})

it.each<[string, (() => Promise<void>)[], string]>([
  ['nothing', [], 'nothing'],
  ['what is marked', [() => changeBegins('svc 1', on)], 'marked'],
  ['another database', [() => changeBegins('svc 1', on), () => changeBegins('', on)], 'anything'],
])('says that failed work may have changed %s', async (_what, changes, change) => {
  const work = async () => {
    for (const begin of changes) await begin()
    throw new Error('failed')
  }
  expect(await watchChanges({ instance: 'svc 1', mark: async () => undefined }, work)).toMatchObject({ change })
})
