import { countProbe } from '../deploys/rules.ts'
import type { Instance } from '../deploys/target.ts'

/** Time as a host sees it, so that tests need not wait. */
export type HostTime = {
  readonly now: () => Date
  /** Resolves after that many milliseconds, or at once when the signal is aborted. Never rejects. */
  readonly delay: (ms: number, signal: AbortSignal) => Promise<void>
}

type ProbeResult = { readonly ok: true } | { readonly ok: false; readonly code: ProbeFailure; readonly detail: string }
type ProbeFailure = 'START_FAILED' | 'HEALTH_FAILED'

const BETWEEN_PROBES_MS = 250
const PROBE_LIMIT_MS = 5_000
const HEALTHY_WITHIN_MS = 60_000

/** Asks a new instance for its health until it answers well several times in a row, ends, or takes too long. */
export async function probeUntilHealthy(
  instance: Pick<Instance, 'fetch' | 'ended'>,
  healthPath: string,
  { now, delay }: HostTime,
  signal: AbortSignal,
): Promise<ProbeResult> {
  const deadline = now().getTime() + HEALTHY_WITHIN_MS
  let end: string | undefined
  const ended = new AbortController()
  void instance.ended.then(({ description }) => {
    end = description
    ended.abort()
  })
  const stopWaiting = AbortSignal.any([signal, ended.signal])
  let healthyInRow = 0
  let lastAnswer = 'it did not accept connections'
  while (!signal.aborted) {
    const answer = await probeOnce(instance, healthPath, signal)
    if (end !== undefined) return { ok: false, code: 'START_FAILED', detail: `The app ended while starting: ${end}.` }
    lastAnswer = answer.description
    const counted = countProbe(healthyInRow, answer.isHealthy)
    if (counted.isReady) return { ok: true }
    healthyInRow = counted.healthyInRow
    if (now().getTime() >= deadline) break
    await delay(BETWEEN_PROBES_MS, stopWaiting)
  }
  return {
    ok: false,
    code: 'HEALTH_FAILED',
    detail: `The app was not healthy within ${HEALTHY_WITHIN_MS / 1000} seconds: for ${healthPath} ${lastAnswer}.`,
  }
}

async function probeOnce(instance: Pick<Instance, 'fetch'>, healthPath: string, signal: AbortSignal) {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(PROBE_LIMIT_MS)])
  try {
    const request = new Request(`http://127.0.0.1${healthPath}`, { redirect: 'manual', signal: limit })
    const { status, body } = await instance.fetch(request)
    await body?.cancel()
    return { isHealthy: status >= 200 && status < 400, description: `it answered ${status}` }
  } catch {
    if (limit.aborted)
      return { isHealthy: false, description: `it did not answer within ${PROBE_LIMIT_MS / 1000} seconds` }
    return { isHealthy: false, description: 'it did not accept connections' }
  }
}
