import type { z } from 'zod'
import { ServiceError } from '#contract/core/errors.ts'
import { type connectWorker, MAX_WORKERS_PER_APP } from '#contract/workers.ts'
import { newId } from '#edge/ids.ts'
import type { Tx } from '#lib/db/db.ts'
import { notify } from '#lib/db/notify.ts'
import { STREAMS_CHANNEL } from '../calls/channels.ts'
import type { App, CallKindHooks } from '../calls/kinds.ts'
import {
  type ConnectedWorker,
  countWorkers,
  insertWorker,
  lockRegistrations,
  replaceServed,
  resumeWorker,
  saveFunctions,
} from './store.ts'

type Registration = z.output<(typeof connectWorker)['input']>

/** Registers a worker and what it serves. A worker that went on keeps its id; one that was lost gets another. */
export async function register(
  tx: Tx,
  app: App & { principalId: string },
  input: Registration,
  pipelines: CallKindHooks,
): Promise<ConnectedWorker> {
  await lockRegistrations(tx, app.appId)
  const worker = await addOrResume(tx, app, input)
  const served = [
    ...input.functions.map(({ name }) => ({ kind: 'function' as const, name })),
    ...input.pipelines.map(({ name }) => ({ kind: 'pipeline' as const, name })),
  ]
  await replaceServed(tx, worker.id, app.appId, served)
  await saveFunctions(tx, app, input.functions)
  await pipelines.registered?.(tx, app, input.pipelines)
  await notify(tx, STREAMS_CHANNEL, worker.id)
  return worker
}

async function addOrResume(tx: Tx, app: App & { principalId: string }, input: Registration): Promise<ConnectedWorker> {
  const { worker_id, sdk_version: sdkVersion, concurrency } = input
  const about = { ...app, sdkVersion, concurrency }
  const resumed = worker_id === undefined ? undefined : await resumeWorker(tx, { ...about, id: worker_id })
  if (resumed) return resumed
  if ((await countWorkers(tx, app.appId)) >= MAX_WORKERS_PER_APP) {
    const detail = `This app has ${MAX_WORKERS_PER_APP} workers, which is the limit. Stop one of them first.`
    throw new ServiceError('WORKER_LIMIT', detail)
  }
  return insertWorker(tx, { ...about, id: newId('wrk') })
}
