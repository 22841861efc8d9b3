import { expect, it } from 'vitest'
import { until } from '#test/until.ts'
import { DatabaseUnavailable } from '../db/errors.ts'
import { gather } from './gather.ts'

/** Doubles numbers; a batch runs until `go`. */
function doubling(fault?: (items: readonly number[]) => Error | undefined, options?: Parameters<typeof gather>[1]) {
  const batches: number[][] = []
  const ends: (() => void)[] = []
  const double = gather(async (items: readonly number[]) => {
    batches.push([...items])
    await new Promise<void>((resolve) => ends.push(resolve))
    const error = fault?.(items)
    if (error) throw error
    return items.map((item) => item * 2)
  }, options)
  const go = async () => {
    ends.shift()!()
    await turns()
  }
  return { batches, double, go }
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve()
}

it('the first item runs at once, and later ones run together, each with its own result', async () => {
  const { batches, double, go } = doubling()
  const answers = Promise.all([1, 2, 3].map(double))
  expect(batches).toEqual([[1]])
  await go()
  expect(batches).toEqual([[1], [2, 3]])
  await go()
  expect(await answers).toEqual([2, 4, 6])
})

it('calls of one turn run together where the first waits for them', async () => {
  const { batches, double, go } = doubling(undefined, { joinsTurn: true })
  const answers = Promise.all([1, 2, 3].map(double))
  await Promise.resolve()
  expect(batches).toEqual([[1, 2, 3]])
  await go()
  expect(await answers).toEqual([2, 4, 6])
})

it('an item that fails does not fail the others of its batch', async () => {
  const { double, go } = doubling((items) => (items.includes(2) ? new Error('not two') : undefined))
  const answers = Promise.allSettled([1, 2, 3].map(double))
  for (let batch = 0; batch < 4; batch++) await go()
  expect((await answers).map((each) => (each.status === 'fulfilled' ? each.value : String(each.reason)))).toEqual([
    2,
    'Error: not two',
    6,
  ])
})

it('while the database is unavailable all waiting items are rejected at once, and the next one is tried', async () => {
  let away = true
  const { batches, double, go } = doubling(() => {
    return away ? new DatabaseUnavailable('away', { cause: undefined }) : undefined
  })
  const answers = Promise.allSettled([1, 2, 3].map(double))
  await go()
  await go()
  expect((await answers).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  expect(batches).toEqual([[1], [2, 3]])
  away = false
  const next = double(4)
  await go()
  expect(await next).toBe(8)
})

it('calls that come while a batch waits run together', async () => {
  const { batches, double, go } = doubling(undefined, { waitMs: 1 })
  const answers = [double(1), double(2)]
  await until(async () => batches.length > 0)
  expect(batches).toEqual([[1, 2]])
  await go()
  expect(await Promise.all(answers)).toEqual([2, 4])
})
