import { join } from 'node:path'
import { type Load, load } from '../help/load.ts'
import { makeSecrets, oursAsked, startOurs } from '../help/ours.ts'
import { makeQuestions, startEmbedder } from '../help/questions.ts'
import { makeSource } from '../help/source.ts'
import { emitSteadily } from './latency.ts'
import type { Arrivals } from './sink.ts'
import type { System } from './system.ts'

const CONCURRENCY = 32

export type Asking = AsyncDisposable & { ask: (seconds: number) => Promise<Load> }

/** Starts the product on another database of the same server, with a source to ask. */
export async function startAsking(
  stores: { databaseUrl: string; redisUrl: string },
  dir: string,
  rows: number,
): Promise<Asking> {
  const stack = new AsyncDisposableStack()
  const questions = makeQuestions()
  const { provider } = stack.use(await startEmbedder(questions))
  const secrets = makeSecrets()
  const server = stack.use(await startOurs({ ...stores, provider, dataDir: join(dir, 'svc') }, secrets))
  const source = await makeSource(server.url, secrets.SVC_OPERATOR_TOKEN, stores.databaseUrl, rows)
  const asked = oursAsked(server.url, source, questions.length, false)
  return {
    ask: (seconds) => load(asked, CONCURRENCY, seconds),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

/** Asks while events are emitted and delivered at `perSecond`. Returns both speeds. */
export async function askWhileDelivering(
  { ask }: Asking,
  system: System,
  orgs: readonly string[],
  { perSecond, seconds }: { perSecond: number; seconds: number },
) {
  const { sink, worker } = system
  await sink.call('begin')
  await worker.call('startSlots')
  const emitting = emitSteadily(system, orgs, { perSecond, seconds })
  const asked = await ask(seconds)
  const { notifications } = await sink.call<Arrivals>('counts')
  const emitted = await emitting
  await sink.call('arrived', emitted.size)
  await worker.call('stopSlots')
  return { asked: asked.perSecond, delivered: notifications / seconds }
}
