import { openPostgres } from '#lib/db/postgres.ts'
import { systemClock } from '#lib/time/clock.ts'
import { createAgentPool } from '../../../src/server/areas/ai/index.ts'

/**
 * Spends the pool of one organization in a process of its own, ten calls at once, until it is exhausted. Arguments: the
 * database's URL, the organization, the limit, the tokens of a reservation, and `settle` or `hold`. With `hold` nothing
 * is settled, as by a process that waits for the provider.
 */
async function main([url, orgId, limit, tokens, mode]: readonly string[]): Promise<void> {
  const report = (event: string) => process.stdout.write(`${JSON.stringify({ event })}\n`)
  const db = openPostgres({ url: url!, onError: () => undefined })
  const pool = createAgentPool({ db, clock: systemClock, limit: Number(limit), timezoneOf: async () => 'UTC' })
  const reserve = () => pool.reserve({ orgId: orgId!, spender: 'check', reference: 'chk_a', tokens: Number(tokens) })
  const spend = async () => {
    for (;;) {
      const reservation = await reserve()
      if (reservation === 'exhausted') return
      report('reserved')
      if (mode === 'hold') return
      await pool.settle(reservation, reservation.id % (reservation.tokens + 1))
      report('settled')
    }
  }
  report('started')
  await Promise.all(Array.from({ length: mode === 'hold' ? 3 : 10 }, spend))
  if (mode === 'hold') await new Promise(() => setInterval(() => {}, 60_000))
  report('exhausted')
  await db[Symbol.asyncDispose]()
}

await main(process.argv.slice(2))
