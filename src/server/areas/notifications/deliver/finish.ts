import type { Db, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import type { Addressed } from '../model/notification.ts'
import type { Outcome } from '../model/outcome.ts'
import { DELIVERY_RULES } from '../model/schedule.ts'
import { DELIVERY_SETTINGS, lockInDelivery } from '../store/lock.ts'
import { recordResults } from '../store/reschedule.ts'
import { pauseSeconds } from './breaker.ts'
import type { ClaimedDelivery } from './claim.ts'
import { disableGoneChannel, disableGoneTarget } from './gone-store.ts'
import { nextState, type Transition } from './transition.ts'

export type Ended = {
  delivery: Addressed & Pick<ClaimedDelivery, 'id' | 'fence' | 'attempt' | 'kind'>
  outcome: Outcome
  /** Of the receiver's answer, where there was one. */
  status?: number | undefined
}

type Written = Ended & { next: Transition }

/**
 * Writes the results of attempts. Each is written only under the fence of its claim: a result that arrives after the
 * lease ran out corrects `unknown`, and a delivery that was claimed again since is never touched.
 */
export async function finishDeliveries(db: Db, ended: readonly Ended[], random: () => number): Promise<void> {
  const written = ended.map((one) => ({
    ...one,
    next: nextState(one.outcome, { kind: one.delivery.kind, attempt: one.delivery.attempt, random: random() }),
  }))
  const byKey = Map.groupBy(written, ({ delivery }) => delivery.destination_key)
  const changing = [...byKey].filter(([, results]) => results.some(changesDestination))
  const failing = await db.tx(
    async (tx) => {
      const locked = await lockInDelivery(tx, changing.map(([key]) => key).sort())
      const { failingKeys } = await writeStates(tx, written)
      await disableGone(tx, written)
      const results = locked.map(({ key, failures }) => resultOf(key, failures, byKey.get(key)!))
      if (results.length > 0) await recordResults(tx, results)
      return failingKeys.filter((key) => !changing.some(([other]) => other === key))
    },
    { settings: DELIVERY_SETTINGS },
  )
  const answering = failing.filter((key) => byKey.get(key)!.some(({ next }) => next.destination === 'answers'))
  if (answering.length > 0) await forgetFailures(db, answering)
}

/** The usual result changes nothing but its delivery, so that it waits for nobody who claims for the destination. */
function changesDestination({ delivery, next }: Written): boolean {
  return (
    next.state === 'pending' ||
    next.destination === 'fails' ||
    next.destination === 'gone' ||
    next.pauseSeconds > 0 ||
    DELIVERY_RULES[delivery.kind].pacingSeconds > 0
  )
}

/** Apart from the results, because destinations are locked before channels everywhere. */
async function forgetFailures(db: Db, keys: readonly string[]): Promise<void> {
  await db.query(sql`
    update notifications.destinations set failures = 0
    where key in (
      select key from notifications.destinations where key = any(${[...keys]}::text[]) order by key for update)`)
}

/**
 * Returns which of the destinations failed before. The last attempt of a delivery is part of its row; one that another
 * attempt will follow gets a row of its own too.
 */
async function writeStates(tx: Tx, written: readonly Written[]): Promise<{ failingKeys: string[] }> {
  // In the order that every writer of deliveries keeps, so that none waits for another in a circle.
  const rows = written.toSorted((a, b) => (a.delivery.id < b.delivery.id ? -1 : 1))
  const failing = await tx.query<{ key: string }>(sql`
    with written as (
      update notifications.deliveries as delivery
      set state = ended.state, reason = ended.reason, lease_until = null, outcome = ended.outcome,
          status = ended.status, next_at = clock_timestamp() + make_interval(secs => ended.delay),
          ended_at = case when ended.state <> 'pending' then clock_timestamp() end,
          message = case when ended.state = 'pending' then delivery.message end
      from unnest(${rows.map(({ delivery }) => delivery.id)}::text[],
          ${rows.map(({ delivery }) => delivery.fence)}::bigint[], ${rows.map(({ next }) => next.state)}::text[],
          ${rows.map(({ outcome }) => outcome.type)}::text[], ${rows.map(({ next }) => next.reason)}::text[],
          ${rows.map(({ status }) => status ?? null)}::int[],
          ${rows.map(({ next }) => next.delaySeconds ?? null)}::float8[])
        as ended (id, fence, state, outcome, reason, status, delay)
      where delivery.id = ended.id and delivery.fence = ended.fence and delivery.state in ('sending', 'unknown')
      returning delivery.id, delivery.attempt, delivery.fence, delivery.started_at, delivery.state, delivery.outcome,
        delivery.reason, delivery.status
    ), traced as (
      insert into notifications.attempts (delivery_id, attempt, fence, started_at, ended_at, outcome, reason, status)
      select id, attempt, fence, coalesce(started_at, clock_timestamp()), clock_timestamp(), outcome, reason, status
      from written where state = 'pending' or started_at is null
      -- A worker of the former release wrote the row when it claimed the delivery.
      on conflict (delivery_id, attempt) do update
        set ended_at = excluded.ended_at, outcome = excluded.outcome, reason = excluded.reason,
            status = excluded.status
    ), noted as (
      -- Since when and how often in a row a channel failed, for the mail to admins. One message that arrives ends the
      -- incident. Failures count from failing_since on: connecting a channel anew clears that time alone.
      update notifications.channels as channel
      set failing_since = case when result.arrived then null else coalesce(failing_since, clock_timestamp()) end,
          failures = case when result.arrived then 0 when failing_since is null then result.lost
            else failures + result.lost end,
          failure_mailed_at = case when result.arrived then null else failure_mailed_at end
      from jsonb_to_recordset(${JSON.stringify(channelResults(written))}::jsonb)
        as result (id text, arrived boolean, lost int)
      where channel.id = result.id and (not result.arrived or failing_since is not null)
    )
    select key from notifications.destinations
    where key = any(${[...new Set(written.map(({ delivery }) => delivery.destination_key))]}::text[]) and failures > 0`)
  return { failingKeys: failing.map(({ key }) => key) }
}

async function disableGone(tx: Tx, written: readonly Written[]): Promise<void> {
  for (const { delivery, next } of written) {
    if (next.destination !== 'gone') continue
    const { org_id, user_id, channel_id } = delivery
    const gone = { reason: next.reason ?? 'gone', attempt: delivery }
    if (channel_id !== null) await disableGoneChannel(tx, { id: channel_id, ...gone })
    else if (delivery.kind === 'chat_dm') await disableGoneTarget(tx, { org_id, user_id, ...gone })
  }
}

/** Leaves out channels of which nothing was learnt, because the fault was ours or nothing was attempted. */
function channelResults(written: readonly Written[]) {
  const learnt = written.filter(
    ({ delivery, next }) => delivery.channel_id !== null && next.destination !== 'unaffected',
  )
  return (
    [...Map.groupBy(learnt, ({ delivery }) => delivery.channel_id!)]
      .map(([id, results]) => ({
        id,
        arrived: results.some(({ next }) => next.state === 'sent'),
        lost: results.filter(({ next }) => next.state !== 'pending').length,
      }))
      // In one order, so that two transactions cannot wait for each other.
      .sort((a, b) => (a.id < b.id ? -1 : 1))
  )
}

/** The pause of the destination, and the failures that the circuit breaker counts. */
function resultOf(key: string, failuresBefore: number, written: readonly Written[]) {
  const results = written.map(({ next }) => next.destination)
  const failures = results.includes('answers') ? 0 : failuresBefore + results.filter((one) => one === 'fails').length
  const requestedPauses = written.map(({ next }) => next.pauseSeconds)
  const pacing = DELIVERY_RULES[written[0]!.delivery.kind].pacingSeconds
  // Never shorter than a pause that was set before: the receiver may have asked another attempt for a longer one.
  return { key, failures, pause: Math.max(pacing, pauseSeconds(failures), ...requestedPauses) }
}
