import { expect, it } from 'vitest'
import { createConnection } from './connection.ts'

function visit() {
  const state = { isUp: true, probes: 0, ms: 0 }
  const probe = async () => {
    state.probes++
    return state.isUp
  }
  return { state, connection: createConnection(probe, () => state.ms) }
}

it('CO-15 a failed request is a loss only if the service does not answer a second time', async () => {
  const { state, connection } = visit()
  const seen: string[] = []
  connection.subscribe(() => seen.push(connection.reach()))
  connection.report(false)
  expect(await connection.check()).toBe(true)
  expect(connection.reach()).toBe('reached')
  state.isUp = false
  connection.report(false)
  expect(await connection.check()).toBe(false)
  connection.report(true)
  expect(seen).toEqual(['lost', 'reached'])
})

it('CO-15 several failures at once ask the service once', async () => {
  const { state, connection } = visit()
  for (const _ of [1, 2, 3]) connection.report(false)
  await connection.check()
  expect(state.probes).toBe(1)
})

it('CO-15 a page is opened at once after a fresh answer, and otherwise only if the service answers', async () => {
  const { state, connection } = visit()
  expect([await connection.mayOpen(), state.probes]).toEqual([true, 0])
  state.ms = 1_000
  expect([await connection.mayOpen(), state.probes]).toEqual([true, 1])
  state.ms = 2_000
  state.isUp = false
  expect([await connection.mayOpen(), connection.reach()]).toEqual([false, 'held'])
  // A later failure does not take back that a page was held.
  expect([await connection.check(), connection.reach()]).toEqual([false, 'held'])
  state.isUp = true
  expect([await connection.mayOpen(), connection.reach()]).toEqual([true, 'reached'])
})

it('CO-15 a listener that left hears nothing', async () => {
  const { state, connection } = visit()
  let heard = 0
  connection.subscribe(() => heard++)()
  state.isUp = false
  await connection.check()
  expect(heard).toBe(0)
})
