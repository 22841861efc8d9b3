import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { createSealer } from '#lib/crypto/seal.ts'
import { openTestDatabase } from '#test/database.ts'
import { WaitingCalls } from './waiting.ts'

it('a call can wait again after a time in which the database could not be listened to', async () => {
  await using database = await openTestDatabase()
  const { db } = database
  let isAway = true
  const listen: typeof db.listen = (channel, onNotify) => {
    if (isAway) return Promise.reject(new Error('away'))
    return db.listen(channel, onNotify)
  }
  const sealer = createSealer([randomBytes(32).toString('hex')])
  await using waiting = new WaitingCalls({ db: { ...db, listen }, sealer })
  await expect(waiting.expect('call_1')).rejects.toThrow('away')
  isAway = false
  const { result } = await waiting.expect('call_1')
  waiting.settle('call_1', { ok: true, output: 1 })
  expect(await result).toEqual({ ok: true, output: 1 })
})
