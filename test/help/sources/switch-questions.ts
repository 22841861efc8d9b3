import { setTimeout as sleep } from 'node:timers/promises'
import { type ModelName, type SwitchWorld, vectorOf } from './switch-world.ts'

type Hit = { readonly title: string; readonly metadata: { readonly _score: number } }

export type SwitchReport = {
  asked: number
  /** Answers whose hits are all of the one model. */
  before: number
  after: number
  /** Answers with hits of both models, of neither, or fewer than were asked for. */
  mixed: number
  failed: number
  /** Answers of the model that was not in use at any time of the question. */
  late: number
  faults: string[]
}

const HITS = 10
const TOLERANCE = 1e-5
const MODEL_NAMES: readonly ModelName[] = ['before', 'after']

/** Asks both servers and compares the score of every hit with those that each model gives it. */
export function startAsking({ urls, token }: Pick<SwitchWorld, 'urls' | 'token'>) {
  const report: SwitchReport = { asked: 0, before: 0, after: 0, mixed: 0, failed: 0, late: 0, faults: [] }
  let inUse: ModelName | undefined = 'before'
  const fault = (kind: 'mixed' | 'failed' | 'late', text: string) => {
    report[kind]++
    report.faults.push(`${kind}: ${text}`.slice(0, 300))
  }
  const ask = async (): Promise<void> => {
    const number = report.asked++
    const query = `question ${number % 50}`
    const atStart = inUse
    const response = await fetch(`${urls[number % 2]}/api/wf/slim/data-sources/db_docs/query`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ query, top_k: HITS }),
    }).catch((error: unknown) => new Response(String(error), { status: 599 }))
    const text = await response.text()
    if (response.status !== 200) return fault('failed', `${response.status} ${text}`)
    const { results } = JSON.parse(text) as { results: Hit[] }
    const model = MODEL_NAMES.find((name) => results.length === HITS && results.every((hit) => isOf(name, query, hit)))
    if (!model) return fault('mixed', text)
    report[model]++
    if (atStart !== undefined && atStart === inUse && model !== inUse) fault('late', `${model} for ${query}`)
  }
  return {
    report,
    ask,
    /** Undefined while either model may answer. */
    setInUse: (model: ModelName | undefined) => {
      inUse = model
    },
  }
}

type Asking = ReturnType<typeof startAsking>

/** Asks one question after the other until it is told to stop. Returns after the last answer. */
export async function askUntil(asking: Asking, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) await asking.ask()
}

/** Asks at a fixed rate, however long the answers take. */
export async function askAtRate(asking: Asking, perSecond: number, stop: AbortSignal): Promise<void> {
  const startedAt = performance.now()
  const open = new Set<Promise<void>>()
  for (let sent = 0; !stop.aborted; ) {
    const due = ((performance.now() - startedAt) / 1000) * perSecond
    for (; sent < due; sent++) {
      const answer = asking.ask().finally(() => open.delete(answer))
      open.add(answer)
    }
    await sleep(5)
  }
  await Promise.all(open)
}

function isOf(model: ModelName, query: string, { title, metadata }: Hit): boolean {
  return Math.abs(cosine(vectorOf(model, query), vectorOf(model, title)) - metadata._score) < TOLERANCE
}

function cosine(a: readonly number[], b: readonly number[]): number {
  const dot = (x: readonly number[], y: readonly number[]) => x.reduce((sum, value, i) => sum + value * y[i]!, 0)
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b))
}
