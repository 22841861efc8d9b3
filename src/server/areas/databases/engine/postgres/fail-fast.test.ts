import { expect, it } from 'vitest'
import type { Db } from '#lib/db/db.ts'
import { DatabaseUnavailable, unavailableFrom } from '#lib/db/errors.ts'
import { sql } from '#lib/db/sql.ts'
import { failFast } from './fail-fast.ts'

/** Fails with what `answer` returns, and counts how often the server was asked. */
function server(answer: () => Error | undefined) {
  let now = 0
  let asked = 0
  const query = async () => {
    asked++
    const error = answer()
    if (error) throw error
    return []
  }
  const db = failFast({ query } as unknown as Db, () => now)
  return {
    ask: () => db.query(sql`select 1`),
    asked: () => asked,
    advance: (ms: number) => {
      now += ms
    },
  }
}

const refused = () => unavailableFrom(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }))

it('OP-03 a server that cannot be reached is asked again only after 5 seconds, and then as usual', async () => {
  let error = refused()
  const { ask, asked, advance } = server(() => error)
  await expect(ask()).rejects.toBeInstanceOf(DatabaseUnavailable)
  await expect(ask()).rejects.toBeInstanceOf(DatabaseUnavailable)
  expect(asked()).toBe(1)
  advance(5_000)
  error = undefined
  await ask()
  await ask()
  expect(asked()).toBe(3)
})

it('OP-03 a statement that the server cancelled does not keep the next one away', async () => {
  const cancelled = Object.assign(new Error('cancelled'), { code: '57014', severity: 'ERROR' })
  const { ask, asked } = server(() => unavailableFrom(cancelled))
  await expect(ask()).rejects.toBeInstanceOf(DatabaseUnavailable)
  await expect(ask()).rejects.toBeInstanceOf(DatabaseUnavailable)
  expect(asked()).toBe(2)
})
