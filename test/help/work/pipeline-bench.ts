import { randomBytes } from 'node:crypto'
import type { PipelineDefinition } from '#contract/workers.ts'
import { newId } from '#edge/ids.ts'
import { createSealer } from '#lib/crypto/seal.ts'
import type { Db } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { createAppDirectory } from '../../../src/server/areas/apps/index.ts'
import { endCalls } from '../../../src/server/areas/pipelines/calls/finish.ts'
import type { CallResult } from '../../../src/server/areas/pipelines/calls/kinds.ts'
import { claimCalls, lockRunning } from '../../../src/server/areas/pipelines/calls/store.ts'
import { createRunHooks } from '../../../src/server/areas/pipelines/runs/call-hooks.ts'
import { scheduleLoop } from '../../../src/server/areas/pipelines/schedule/loop.ts'
import { register } from '../../../src/server/areas/pipelines/workers/register.ts'
import type { ConnectedWorker } from '../../../src/server/areas/pipelines/workers/store.ts'

export const DONE: CallResult = { ok: true, output: null }
export const FAILED: CallResult = { ok: false, code: 'FUNCTION_FAILED', message: 'out of paper' }

/** An app with pipelines, a worker that connects and leaves at once, and evaluators on a clock that the test moves. */
export async function openPipelineBench(db: Db, start: string) {
  let now = new Date(start)
  const sealer = createSealer([randomBytes(32).toString('hex')])
  const errors: unknown[] = []
  const deps = {
    onError: (error: unknown) => void errors.push(error),
    db,
    clock: { now: () => now },
    sealer,
    appsIn: (from: Pick<Db, 'query'>) => createAppDirectory({ db: from }),
  }
  const hooks = createRunHooks(deps)
  const app = { orgId: newId('org'), appId: newId('app'), alias: `a${randomBytes(4).toString('hex')}` }
  await db.query(sql`
    insert into apps.apps (id, org_id, alias, name, host_label, health_path, state, created_by, created_at)
    values (${app.appId}, ${app.orgId}, ${app.alias}, 'Shop', ${app.alias}, '/', 'active', ${newId('usr')}, now())`)
  let worker: ConnectedWorker | undefined
  let loop = scheduleLoop(deps)
  let nextTick = now
  /** Returns when the next turn is. */
  const tick = async (at: Date) => {
    now = at
    return loop.tick(at, new AbortController().signal)
  }
  return {
    ...app,
    deps,
    hooks,
    /** Errors that the evaluator reported. */
    errors,
    /** A person who changes pipelines. */
    by: { principal: { id: 'tok_bench', org_id: app.orgId }, app },
    /** Turns to another process: what the former one remembered is gone. */
    restart: () => {
      loop = scheduleLoop(deps)
      nextTick = now
    },
    /** Moves the clock. While nothing runs, no turn is taken. */
    setClock: (at: string) => {
      now = new Date(at)
      nextTick = now
    },
    /** Lets the evaluator take all its turns until that time, as its own timer would. */
    runUntil: async (time: string) => {
      const end = new Date(time)
      for (let at = nextTick; at <= end; at = nextTick) nextTick = await tick(at)
      now = end
    },
    connect: async (...pipelines: readonly (Partial<PipelineDefinition> & { name: string })[]) => {
      worker = await db.tx((tx) =>
        register(
          tx,
          { ...app, principalId: 'tok_bench' },
          {
            alias: app.alias,
            calls: [],
            sdk_version: '0.0.18',
            concurrency: 10,
            functions: [],
            pipelines: pipelines.map((given) => ({ ...DEFAULTS, ...given })),
          },
          hooks,
        ),
      )
    },
    disconnect: async () => {
      await db.query(sql`delete from pipelines.workers where id = ${worker!.id}`)
      worker = undefined
    },
    /** Takes the calls that wait for the worker. Returns how many. */
    take: () =>
      db.tx(async (tx) => {
        const calls = await claimCalls(tx, 'pipeline', { workerId: worker!.id, stream: worker!.stream })
        if (calls.length > 0) await hooks.started!(tx, calls)
        return calls
      }),
    finish: (call: { id: string }, result: CallResult) =>
      db.tx(async (tx) => {
        const running = await lockRunning(tx, worker!.id, [call.id])
        await endCalls(
          tx,
          { sealer, pipelines: hooks },
          running.map((one) => ({ call: one, result })),
          () => false,
        )
      }),
    events: async () => {
      const rows = await db.query<{ type: string }>(sql`
        select type from svc.outbox where org_id = ${app.orgId} order by id`)
      return rows.map(({ type }) => type)
    },
    runs: async () =>
      db.query<{ state: string; scheduled_at: Date | null; reason_code: string | null }>(sql`
        select runs.state, scheduled_at, reason_code from pipelines.runs
        join pipelines.pipelines on pipelines.id = pipeline_id
        where app_id = ${app.appId} order by runs.id`),
    pipelineId: async (name: string) => {
      const [row] = await db.query<{ id: string }>(sql`
        select id from pipelines.pipelines where app_id = ${app.appId} and name = ${name}`)
      return row!.id
    },
  }
}

const DEFAULTS: PipelineDefinition = {
  name: '',
  description: '',
  schedule: null,
  timezone: 'UTC',
  concurrency: 'skip',
  timeout_seconds: 3600,
}
