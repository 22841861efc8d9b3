/**
 * An advisory lock that a process holds as long as it is connected. Any number of processes hold it with `isShared`, and
 * then none alone.
 */
export type SessionLock = { readonly key: number; readonly isShared: boolean }

/** `check` throws LockTaken from the moment another process took the lock while this one had lost its connection. */
export type HeldLock = { check(): void }

/** Thrown where another session holds a lock. `holder` says from where it is connected and since when. */
export class LockTaken extends Error {
  override readonly name = 'LockTaken'
  readonly holder: string
  constructor(holder: string) {
    super(`another process holds the lock: it is ${holder}`)
    this.holder = holder
  }
}

type Send = (text: string) => Promise<{ rows: unknown[] }>

/** Takes the lock on a connection. Throws LockTaken without waiting. */
export async function takeSessionLock(send: Send, { key, isShared }: SessionLock): Promise<void> {
  const take = isShared ? 'pg_try_advisory_lock_shared' : 'pg_try_advisory_lock'
  const { rows } = await send(`select ${take}(${key}) as taken`)
  if (!(rows as { taken: boolean }[])[0]!.taken) throw new LockTaken(await describeHolder(send, key))
}

async function describeHolder(send: Send, key: number): Promise<string> {
  // A key below 2^32 has its value in objid and 0 in classid.
  const { rows } = await send(`
    select coalesce('connected from ' || host(client_addr), 'connected on the machine of the database')
      || coalesce(' since ' || to_char(backend_start at time zone 'utc', 'YYYY-MM-DD HH24:MI:SS') || ' UTC', '') as holder
    from pg_locks join pg_stat_activity using (pid)
    where locktype = 'advisory' and classid = 0 and objid = ${key} and objsubid = 1 and granted
      and database = (select oid from pg_database where datname = current_database())
    limit 1`)
  return (rows as { holder: string }[])[0]?.holder ?? 'gone by now'
}
