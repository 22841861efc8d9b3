import type { Db, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { disableGoneTarget } from '../channels/chat/link-store.ts'
import { disableGoneChannel } from '../channels/store.ts'
import { pauseSeconds } from './breaker.ts'
import type { ClaimedDelivery } from './claim.ts'
import { lockDestinations } from './lock.ts'
import type { Outcome } from './outcome.ts'
import { changeDestinations } from './reschedule.ts'
import { DELIVERY_RULES } from './schedule.ts'
import { nextState, type Transition } from './transition.ts'

export type Ended = {
  delivery: Pick<
    ClaimedDelivery,
    'id' | 'org_id' | 'fence' | 'attempt' | 'kind' | 'destination_key' | 'channel_id' | 'user_id'
  >
  outcome: Outcome
  /** Of the receiver's answer, where there was one. */
  status?: number
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
  await db.tx(async (tx) => {
    const keys = [...new Set(ended.map(({ delivery }) => delivery.destination_key))].sort()
    const destinations = await lockDestinations(tx, keys)
    const left = await writeStates(tx, written)
    await disableGone(tx, written)
    await changeDestinations(tx, changesOf(destinations, written, left))
  })
}

/** Returns the ids of the deliveries that left `sending` now; a late result left it before. */
async function writeStates(tx: Tx, written: readonly Written[]): Promise<Set<string>> {
  const rows = written.map(({ delivery, outcome, next, status }) => ({
    id: delivery.id,
    fence: delivery.fence,
    state: next.state,
    outcome: outcome.type,
    reason: next.reason,
    status: status ?? null,
    delay: next.delaySeconds ?? null,
  }))
  const left = await tx.query<{ id: string; was_sending: boolean }>(sql`
    with locked as materialized (
      -- In the order that every writer of deliveries keeps, so that none waits for another in a circle. The state cannot
      -- change meanwhile, because everyone who changes it holds the lock of the destination.
      select id, state from notifications.deliveries
      where id = any(${rows.map(({ id }) => id)}::text[]) order by id for update
    ), ended as materialized (
      select id, fence, state, outcome, reason, status, delay from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as ended (id text, fence bigint, state text, outcome text, reason text, status int, delay float8)
    ), traced as (
      update notifications.attempts as attempt
      set ended_at = clock_timestamp(), outcome = ended.outcome, reason = ended.reason, status = ended.status
      from ended where attempt.delivery_id = ended.id and attempt.fence = ended.fence
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
    update notifications.deliveries as delivery
    set state = ended.state, reason = ended.reason, lease_until = null,
        next_at = clock_timestamp() + make_interval(secs => ended.delay),
        ended_at = case when ended.state <> 'pending' then clock_timestamp() end,
        message = case when ended.state = 'pending' then delivery.message end
    from ended join locked using (id)
    where delivery.id = ended.id and delivery.fence = ended.fence and delivery.state in ('sending', 'unknown')
    returning delivery.id, locked.state = 'sending' as was_sending`)
  return new Set(left.filter(({ was_sending }) => was_sending).map(({ id }) => id))
}

/** Disables channels and chat accounts that are gone. */
async function disableGone(tx: Tx, written: readonly Written[]): Promise<void> {
  for (const { delivery, next } of written) {
    if (next.destination !== 'gone') continue
    const { org_id, user_id, channel_id } = delivery
    const gone = { reason: next.reason ?? 'gone', attempt: delivery }
    if (channel_id !== null) await disableGoneChannel(tx, { id: channel_id, ...gone })
    else if (delivery.kind === 'chat_dm') await disableGoneTarget(tx, { org_id, user_id, ...gone })
  }
}

type ChannelResult = { id: string; arrived: boolean; lost: number }

/** Leaves out channels of which nothing was learnt, because the fault was ours or nothing was attempted. */
function channelResults(written: readonly Written[]): ChannelResult[] {
  const learnt = written.filter(
    ({ delivery, next }) => delivery.channel_id !== null && next.destination !== 'unaffected',
  )
  return [...Map.groupBy(learnt, ({ delivery }) => delivery.channel_id!)].map(([id, results]) => ({
    id,
    arrived: results.some(({ next }) => next.state === 'sent'),
    lost: results.filter(({ next }) => next.state !== 'pending').length,
  }))
}

/** Frees the places in flight and updates the failure counts of the circuit breaker. */
function changesOf(
  destinations: readonly { key: string; failures: number }[],
  written: readonly Written[],
  left: ReadonlySet<string>,
) {
  const byKey = Map.groupBy(written, ({ delivery }) => delivery.destination_key)
  return destinations.map(({ key, failures }) => changeOf(key, failures, byKey.get(key)!, left))
}

function changeOf(key: string, failuresBefore: number, written: readonly Written[], left: ReadonlySet<string>) {
  const results = written.map(({ next }) => next.destination)
  const answered = results.includes('answers')
  const failures = answered ? 0 : failuresBefore + results.filter((one) => one === 'fails').length
  const requestedPauses = written.map(({ next }) => next.pauseSeconds)
  const pacing = DELIVERY_RULES[written[0]!.delivery.kind].pacingSeconds
  return {
    key,
    in_flight: -written.filter(({ delivery }) => left.has(delivery.id)).length,
    failures,
    // Never shorter than a pause that was set before: the receiver may have asked another attempt for a longer one.
    pause: Math.max(pacing, pauseSeconds(failures), ...requestedPauses),
  }
}
