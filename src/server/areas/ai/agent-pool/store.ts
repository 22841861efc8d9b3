import type { Querier } from '#lib/db/db.ts'
import { type Sql, sql } from '#lib/db/sql.ts'
import type { LimitDay } from '#lib/time/day.ts'
import type { AgentPool } from '#ports/agent-pool.ts'

/** Returns the last day on which the organization spent tokens. */
export async function findLastDay(db: Querier, orgId: string): Promise<LimitDay | undefined> {
  const [row] = await db.query<{ day: string; ends_at: Date | null }>(sql`
    select day, ends_at from ai.agent_pool_days where org_id = ${orgId} order by day desc limit 1`)
  return row && { day: row.day, endsAt: row.ends_at }
}

/** Begins a day after the former one. Does nothing if another process began a day after it in the meantime. */
export async function insertDay(
  db: Querier,
  { orgId, day, endsAt, former }: LimitDay & { orgId: string; former: string | undefined },
): Promise<void> {
  await db.query(sql`
    insert into ai.agent_pool_days (org_id, day, tokens, ends_at, former_day)
    values (${orgId}, ${day}::date, 0, ${endsAt}, coalesce(${former ?? null}::date, '-infinity'))
    on conflict do nothing`)
}

type NewReservation = Parameters<AgentPool['reserve']>[0] & { readonly day: string }

/**
 * Counts the tokens of a day that has begun and writes the reservation, or returns undefined and does neither if they
 * exceed the limit. One statement, so that concurrent spenders wait for the row of the day, and a crash leaves both or
 * none.
 */
export async function insertReservation(
  db: Querier,
  { orgId, day, spender, reference, tokens }: NewReservation,
  { limit, lifetimeSeconds }: { limit: number; lifetimeSeconds: number },
): Promise<number | undefined> {
  const [row] = await db.query<{ id: number }>(sql`
    with counted as (
      update ai.agent_pool_days as days set tokens = days.tokens + ${tokens}::bigint
      where org_id = ${orgId} and day = ${day}::date
        and days.tokens + ${tokens}::bigint <= ${limit}::bigint and not days.is_closed
      returning org_id, day)
    insert into ai.agent_reservations (org_id, day, spender, reference, tokens, expires_at)
    select org_id, day, ${spender}, ${reference}, ${tokens}::bigint,
           clock_timestamp() + make_interval(secs => ${lifetimeSeconds})
    from counted
    returning id`)
  return row?.id
}

/**
 * Books what was served. After its end a reservation is booked in full and never with less. Does nothing if it was
 * settled before.
 */
export async function settleReservation(db: Querier, id: number, served: number): Promise<void> {
  await db.query(sql`
    with reservation as (
      select id, org_id, day, tokens as reserved, coalesce(booked, tokens) as counted,
             case when booked is null and expires_at > clock_timestamp() then ${served}::bigint
                  else greatest(${served}::bigint, tokens) end as booked
      from ai.agent_reservations
      where id = ${id} and (booked is null or is_lost)
      for update),
    settled as (
      update ai.agent_reservations set booked = reservation.booked, is_lost = false
      from reservation where agent_reservations.id = reservation.id)
    update ai.agent_pool_days as days
      set tokens = days.tokens + reservation.booked - reservation.counted,
          is_closed = days.is_closed or reservation.booked > reservation.reserved
    from reservation
    where days.org_id = reservation.org_id and days.day = reservation.day`)
}

/** Returns the tokens of the day that are booked or reserved. */
export async function countTokens(db: Querier, orgId: string, day: string): Promise<number> {
  const [row] = await db.query<{ tokens: number }>(sql`
    select tokens from ai.agent_pool_days where org_id = ${orgId} and day = ${day}::date`)
  return row?.tokens ?? 0
}

/** Books reservations in full that nobody settled before their end. The day counts them in full already. */
export async function bookLostReservations(db: Querier): Promise<void> {
  await db.query(sql`
    update ai.agent_reservations set booked = tokens, is_lost = true
    where booked is null and expires_at <= clock_timestamp()`)
}

/** Deletes the days before `day` with their reservations. */
export async function deleteDaysBefore(db: Querier, day: string): Promise<void> {
  await db.query(sql`delete from ai.agent_pool_days where day < ${day}::date`)
}

type PoolDay = { day: string; checks: number; maintenance: number; is_closed: boolean }

/** Returns `count` days up to `today`, also those on which nothing was spent. */
export async function listPoolDays(db: Querier, orgId: string, today: string, count: number): Promise<PoolDay[]> {
  return db.query(sql`
    select to_char(day, 'YYYY-MM-DD') as day,
      coalesce(sum(coalesce(booked, reservation.tokens)) filter (where spender = 'check'), 0)::float8 as checks,
      coalesce(sum(coalesce(booked, reservation.tokens)) filter (where spender = 'maintenance'), 0)::float8 as maintenance,
      coalesce(bool_or(is_closed), false) as is_closed
    from (select generate_series(${today}::date - ${count - 1}::int, ${today}::date, interval '1 day')::date) as calendar (day)
    left join (select * from ai.agent_pool_days where org_id = ${orgId}) as pool using (day)
    left join ai.agent_reservations as reservation using (org_id, day)
    group by day order by day`)
}

type AppSpending = { app_id: string | null; checks: number; maintenance: number }

/** Returns the apps for which most was spent since `first`. `agents` selects the `id` and the `app_id` of those who can spend. */
export async function listAppSpending(
  db: Querier,
  { orgId, first, agents, limit }: { orgId: string; first: string; agents: Sql; limit: number },
): Promise<AppSpending[]> {
  return db.query(sql`
    select agent.app_id,
      coalesce(sum(spent) filter (where spender = 'check'), 0)::float8 as checks,
      coalesce(sum(spent) filter (where spender = 'maintenance'), 0)::float8 as maintenance
    from (
      select spender, reference, sum(coalesce(booked, tokens)) as spent from ai.agent_reservations
      where org_id = ${orgId} and day >= ${first}::date group by spender, reference
    ) as spending left join (${agents}) as agent on agent.id = reference
    group by agent.app_id
    order by sum(spent) desc, agent.app_id limit ${limit}`)
}
