import type { Db } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { until } from '#test/until.ts'
import { endExpired } from '../../../src/server/areas/maintenance/claims/claim.ts'
import { endRuns } from '../../../src/server/areas/maintenance/claims/end.ts'
import type { Target } from './plant.ts'
import type { Chance } from './random.ts'

type State = { readonly id: string; state: string }

/**
 * Takes claims away from runs whose model is about to answer, in the three ways in which a claim is lost: the agent was
 * switched off, the lease ran out and the run was ended, or another worker holds it.
 */
export class StolenClaims {
  readonly #db: Db
  readonly #taken: State[] = []
  readonly #late: string[] = []

  constructor(db: Db) {
    this.#db = db
  }

  async steal({ app }: Target, chance: Chance): Promise<void> {
    const [run] = await this.#db.query<{ id: string }>(sql`
      select id from maintenance.runs where app_id = ${app.id} and status = 'running'`)
    if (!run) return
    const way = chance.int(3)
    if (way === 0) await this.#db.tx((tx) => endRuns(tx, { appId: app.id }, 'fenced_app_disabled'))
    else if (way === 1) await this.#expire(run.id)
    else await this.#db.query(sql`update maintenance.runs set fence = nextval('svc.fences') where id = ${run.id}`)
    this.#taken.push({ id: run.id, state: await this.#stateOf(run.id) })
  }

  async #expire(id: string): Promise<void> {
    await this.#db.tx(async (tx) => {
      await tx.query(sql`
        update maintenance.runs set lease_until = now() - interval '1 s' where id = ${id} and status <> 'ended'`)
      await endExpired(tx)
    })
  }

  /** Ends the runs that the other worker holds, once the answer of their model was booked. */
  async release(runId: string): Promise<void> {
    const taken = this.#taken.filter(({ id }) => id === runId)
    if (taken.length === 0) return
    await until(async () => {
      const open = await this.#db.query(sql`
        select from ai.agent_reservations where reference = ${runId} and booked is null`)
      return open.length === 0
    })
    for (const each of taken) await this.#compare(each)
    await this.#expire(runId)
    // The end of a run drops the edits that it staged.
    const state = await this.#stateOf(runId)
    for (const each of taken) each.state = state
  }

  has(runId: string): boolean {
    return this.#taken.some(({ id }) => id === runId)
  }

  /** Returns the runs that wrote something after they had lost their claim. */
  async findLate(): Promise<string[]> {
    for (const each of this.#taken.splice(0)) await this.#compare(each)
    return this.#late.splice(0)
  }

  async #compare({ id, state }: State): Promise<void> {
    const now = await this.#stateOf(id)
    if (now !== state) this.#late.push(`${id}: ${state} became ${now}`)
  }

  /** All that a run can write, except its tokens: those are booked in any case. */
  async #stateOf(id: string): Promise<string> {
    const [row] = await this.#db.query<{ state: string }>(sql`
      select json_build_array(summary, fingerprint, proposal_id, evidence_digest,
        (select count(*) from maintenance.evidence where run_id = run.id),
        (select count(*) from maintenance.edits where run_id = run.id),
        (select count(*) from maintenance.proposals where run_id = run.id),
        (select count(*) from maintenance.findings where first_run_id = run.id),
        (select count(*) from notifications.events where body ->> 'execution_id' = run.id
          and body ->> 'status' <> 'agent_error'))::text as state
      from maintenance.runs run where id = ${id}`)
    return row?.state ?? 'gone'
  }
}
